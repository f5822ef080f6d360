import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { judge, resultsOf } from "../../tools/rehearsal/end-to-end-tests.ts";
import { temporaryFolder } from "../builders/temporary-folder.ts";

const VITEST = join(import.meta.dirname, "../../node_modules/vitest/vitest.mjs");

/** What the rehearsal makes of a report of Vitest's own on test files with these contents. */
async function judged(files: Readonly<Record<string, string>>) {
  const folder = await temporaryFolder();
  const report = join(folder, "report.json");
  for (const [name, contents] of Object.entries(files)) await writeFile(join(folder, name), contents);
  await writeFile(join(folder, "vitest.config.mjs"), "export default { test: { globals: true } };");
  const flags = ["--reporter=json", `--outputFile.json=${report}`];
  const running = promisify(execFile)(process.execPath, [VITEST, "run", "--root", folder, ...flags]);
  await running.catch(() => {});
  return judge(resultsOf(await readFile(report, "utf8")), []);
}

test("A test file fails whose tests do not run, or which fails outside of them", async () => {
  const { passed, failed } = await judged({
    "passes.test.js": 'test("passes", () => {});',
    "set-up.test.js": 'beforeAll(() => { throw new Error("No set-up."); }); test("waits", () => {});',
    "group.test.js":
      'describe("a group", () => { beforeAll(() => { throw new Error(); }); test("waits", () => {}); });',
    "tear-down.test.js": 'afterAll(() => { throw new Error("No tear-down."); }); test("passes", () => {});',
    "unreadable.test.js": "this is no JavaScript",
  });
  expect(passed).toBe(2);
  expect(Object.fromEntries(failed.map(({ name, message }) => [basename(name), message]))).toEqual({
    "set-up.test.js > waits": "It did not run. No set-up.",
    "group.test.js > a group waits": expect.stringContaining("It did not run."),
    "tear-down.test.js": "No tear-down.",
    "unreadable.test.js": expect.any(String),
  });
});
