import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const FOLDER = join(import.meta.dirname, "mistakes");
const mistakes = readdirSync(FOLDER);

test("there are thirty mistakes and more", () => {
  expect(mistakes.length).toBeGreaterThanOrEqual(30);
});

const hasGit = spawnSync("git", ["--version"]).status === 0;

test.skipIf(!hasGit).each(mistakes)("%s can be made in the code as it is", (file) => {
  // Without a repository: the files may be an archive's, or another user's.
  const env = { ...process.env, GIT_DIR: "/nonexistent" };
  expect(() => execFileSync("git", ["apply", "--check", join(FOLDER, file)], { env })).not.toThrow();
});
