import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
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

test("A search whose result cannot be recorded ends before it begins", async () => {
  const TMPDIR = await temporaryFolder();
  const search = simulate(["--record", "--seeds", "1"], { TMPDIR, GIT_DIR: "/nowhere" });
  let printed = "";
  search.stdout?.on("data", (chunk) => {
    printed += String(chunk);
  });
  expect(await once(search, "close")).toEqual([1, null]);
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
