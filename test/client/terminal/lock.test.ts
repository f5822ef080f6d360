import { existsSync, writeFileSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { isLock, lock } from "../../../client/terminal/lock.ts";
import { startProgram } from "../../program.ts";
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

test("a lock of another user's process is left as it is", async () => {
  const path = await aFile("lock", "12\n");
  const kill = vi.spyOn(process, "kill").mockImplementationOnce(() => {
    throw Object.assign(new Error("Operation not permitted"), { code: "EPERM" });
  });
  onTestFinished(() => kill.mockRestore());

  expect(() => lock(locked(path))).toThrow("Another push of this file is running (process 12).");
  expect(await readFile(path, "utf8")).toBe("12\n");
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

// As on a file system without links.
test("a lock is created although no second name for it is possible, here because it would be too long", async () => {
  const file = await aFile("rows.ndjson", "");
  const path = join(dirname(file), "a".repeat(255));

  const unlock = lock(locked(path));
  const held = await readFile(path, "utf8");
  unlock();

  expect(held).toBe(`${process.pid}\n`);
  expect(await readdir(dirname(path))).toEqual(["rows.ndjson"]);
});

/** Takes a lock for a second, as often as it can. Prints how often it had it, and how often together with another. */
const TAKING = `
  import { closeSync, openSync, rmSync } from "node:fs";
  import { lock } from ${JSON.stringify(new URL("../../../client/terminal/lock.ts", import.meta.url).href)};
  const [path, taken] = process.argv.slice(1);
  let alone = 0;
  let shared = 0;
  for (const end = Date.now() + 1_000; Date.now() < end; ) {
    try {
      const unlock = lock({ path, other: "Another", remedy: "" });
      try {
        closeSync(openSync(taken, "wx"));
        rmSync(taken);
        alone += 1;
      } catch {
        shared += 1;
      }
      unlock();
    } catch {}
  }
  process.stdout.write(JSON.stringify({ isTaken: alone > 0, shared }));
`;

test("of several processes that take a lock at the same time only one has it", async () => {
  const folder = dirname(await aFile("rows.ndjson", ""));
  const args = ["--input-type=module", "-e", TAKING, join(folder, "lock"), join(folder, "taken")];

  const results = await Promise.all([1, 2, 3].map(() => startProgram(process.execPath, args).ended));

  const only = { code: 0, stdout: '{"isTaken":true,"shared":0}', stderr: "" };
  expect(results).toEqual([only, only, only]);
  expect(await readdir(folder)).toEqual(["rows.ndjson"]);
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
