import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const FOLDER = join(import.meta.dirname, "mistakes");
const mistakes = readdirSync(FOLDER);

test("there are thirty mistakes and more", () => {
  expect(mistakes.length).toBeGreaterThanOrEqual(30);
});

test.each(mistakes)("%s can be made in the code as it is", (file) => {
  expect(() => execFileSync("git", ["apply", "--check", join(FOLDER, file)])).not.toThrow();
});
