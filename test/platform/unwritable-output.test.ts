import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { promisify } from "node:util";
import { expect, test } from "vitest";

/** What the command says, and its exit code, if its output goes there. */
async function endOf(output: string): Promise<string> {
  const script = `{ "$0" platform/platform.ts --help; echo "exit code $?" >&2; } ${output}`;
  return (await promisify(execFile)("sh", ["-c", script, process.execPath])).stderr;
}

test("output that nobody reads to its end is no error", async () => {
  expect(await endOf("| true")).toBe("exit code 0\n");
});

test.skipIf(!existsSync("/dev/full"))(
  "output for which the disk is full is an error in a sentence",
  async () => {
    expect(await endOf(">/dev/full")).toBe(
      "The output cannot be written: ENOSPC: no space left on device, write\nexit code 1\n",
    );
  },
);
