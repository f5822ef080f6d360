import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const survivors: Record<string, Record<string, string>> = JSON.parse(
  readFileSync("tools/mutants/survivors.json", "utf8"),
);

test.each(Object.entries(survivors))("%s has the lines whose mutants may survive", (file, explained) => {
  const lines = readFileSync(file, "utf8")
    .split("\n")
    .map((line) => line.trim());

  expect(lines).toEqual(expect.arrayContaining(Object.keys(explained)));
});
