import { existsSync, writeFileSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { isLock, lock } from "../../../client/terminal/lock.ts";
import { aFile } from "../push/files.ts";

/** The first process of the machine or container always runs. */
const RUNNING = 1;
/** More than any system's largest process number. */
const ENDED = 2 ** 30;

const locked = (path: string) => ({ path, other: "Another push of this file", remedy: "" });

test("a lock of a process that runs is left as it is", async () => {
  const path = await aFile("lock", `${RUNNING}\n`);

  expect(() => lock(locked(path))).toThrow("Another push of this file is running (process 1).");
  expect(await readFile(path, "utf8")).toBe(`${RUNNING}\n`);
});

test.each([
  ["of a process that has ended", `${ENDED}\n`],
  ["of an earlier process with the number of this one", `${process.pid}\n`],
  ["that a crash has cut off", ""],
])("a lock %s is replaced, and removed at the end", async (_, content) => {
  const path = await aFile("lock", "");
  await writeFile(path, content);

  const unlock = lock(locked(path));
  const held = await readFile(path, "utf8");
  unlock();

  expect(held).toBe(`${process.pid}\n`);
  expect(existsSync(path)).toBe(false);
});

test("a lock that another process has replaced since it was read is left as it is", async () => {
  const path = await aFile("lock", `${ENDED}\n`);
  const kill = vi.spyOn(process, "kill").mockImplementationOnce(() => {
    writeFileSync(path, `${RUNNING}\n`);
    throw Object.assign(new Error("No such process"), { code: "ESRCH" });
  });
  onTestFinished(() => kill.mockRestore());

  expect(() => lock(locked(path))).toThrow("Another push of this file is running (process 1).");
  expect(await readFile(path, "utf8")).toBe(`${RUNNING}\n`);
  expect(await readdir(dirname(path))).toEqual(["lock"]);
});

test.each([
  ["12\n", true],
  ["12", true],
  ["", true],
  ["12 apples\n", false],
  ["important\n", false],
])("a file that begins with %j is a lock: %s", (beginning, expected) => {
  expect(isLock(beginning)).toBe(expected);
});
