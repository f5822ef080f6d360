import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../builders/temporary-folder.ts";

/** What `npm run simulation -- <flags>` runs. */
function simulate(flags: readonly string[], environment: Record<string, string>): ChildProcess {
  const child = spawn(process.execPath, ["tools/reliability/simulate.ts", ...flags], {
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "ignore"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

async function outputOf({ stdout }: ChildProcess): Promise<string> {
  return stdout ? text(stdout) : "";
}

test("A search fails if a thread ends before its last story", async () => {
  const folder = await temporaryFolder();
  const ending = join(folder, "ending.mjs");
  await writeFile(
    ending,
    'import { isMainThread } from "node:worker_threads"; if (!isMainThread) process.exit(13);',
  );
  const NODE_OPTIONS = `--import=${ending}`;
  const search = simulate(["--seeds", "1", "--assembly", folder], { NODE_OPTIONS });
  const [ended, printed] = await Promise.all([once(search, "close"), outputOf(search)]);
  expect(ended).toEqual([1, null]);
  expect(printed).toBe("");
});

test("A search whose result cannot be recorded ends before it begins", async () => {
  const TMPDIR = await temporaryFolder();
  const search = simulate(["--record", "--seeds", "1"], { TMPDIR, GIT_DIR: "/nowhere" });
  const [ended, printed] = await Promise.all([once(search, "close"), outputOf(search)]);
  expect(ended).toEqual([1, null]);
  expect(printed).toBe("");
});

test("A search that is interrupted leaves no temporary files", async () => {
  const TMPDIR = await temporaryFolder();
  const search = simulate(["--seeds", "1000000"], { TMPDIR });
  const ended = once(search, "close");
  await expect.poll(() => readdir(TMPDIR)).toHaveLength(1);
  search.kill("SIGINT");
  expect(await ended).toEqual([130, null]);
  expect(await readdir(TMPDIR)).toEqual([]);
});
