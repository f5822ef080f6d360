import { mkdir, realpath, symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { useWriteAheadLog } from "../../../local/dynamodb/write-ahead-log.ts";
import { CommandError } from "../../../local/machine/command-error.ts";
import { DataDirectory } from "../../../local/machine/data-directory.ts";
import { folderError } from "../../../local/machine/folder-error.ts";
import { temporaryFolder } from "../../builders/temporary-folder.ts";

/** Opens the file with the longest path that the stack keeps in a folder. */
function openLongest(folder: string): void {
  const data = new DataDirectory(folder, { version: 1 });
  try {
    useWriteAheadLog(data.folder("dynamodb"), data.identity().accessKeyId);
  } finally {
    data.release();
  }
}

async function folderOfLength(length: number): Promise<string> {
  const parent = join(await realpath(await temporaryFolder()), "d".repeat(200));
  const folder = join(parent, "d".repeat(length - parent.length - 1));
  await mkdir(folder, { recursive: true });
  return folder;
}

test("A data folder may have a path of 444 bytes", async () => {
  openLongest(await folderOfLength(444));
});

test.each([
  ["", async (folder: string) => folder],
  [
    " that a short link leads to",
    async (folder: string) => {
      const link = join(await temporaryFolder(), "link");
      await symlink(folder, link);
      return link;
    },
  ],
])("A longer path%s is reported as too long", async (_, nameOf) => {
  const folder = await nameOf(await folderOfLength(445));
  let thrown: unknown;
  try {
    openLongest(folder);
  } catch (error) {
    thrown = folderError(error, folder, "LOCAL_DATA_DIR");
  }
  expect(thrown).toEqual(
    new CommandError(
      `${folder} cannot be used, because its path is longer than the 444 bytes that SQLite can use: shorten it, or set LOCAL_DATA_DIR to another folder.`,
    ),
  );
});

test.each([
  [
    "a command found the disk full",
    { stderr: "Error: ENOSPC: no space left on device, write" },
    /disk is full/,
  ],
  [
    "esbuild found the disk full",
    {
      stderr:
        "✘ [ERROR] Failed to write to output file: write /data/builds/index.js: no space left on device",
    },
    /disk is full/,
  ],
  [
    "a command found the quota used up",
    { stderr: "write /data/a.js: disk quota exceeded" },
    /quota is used up/,
  ],
  ["SQLite found the disk full", { code: "ERR_SQLITE_ERROR", errcode: 13 }, /disk is full/],
  ["SQLite may not open its file", { code: "ERR_SQLITE_ERROR", errcode: 14 }, /permission is denied/],
  ["the file system is read-only", { code: "EROFS", syscall: "mkdir" }, /read-only/],
  ["its name is too long", { code: "ENAMETOOLONG", syscall: "mkdir" }, /too long/],
])("An error is reported as the data folder's if %s", (_, details, message) => {
  const error = Object.assign(new Error("failed"), details);
  expect(folderError(error, "/data", "LOCAL_DATA_DIR")?.message).toMatch(message);
});

test.each([
  ["a port may not be used", { code: "EACCES", syscall: "listen", address: "127.0.0.1", port: 80 }],
  ["a command may not run another", { code: 1, stderr: "Error: spawn docker EACCES" }],
  ["SQLite finds its file locked", { code: "ERR_SQLITE_ERROR", errcode: 5 }],
  ["a file is missing in it", { code: "ENOENT", syscall: "open", path: "/data/builds/bundle.js" }],
  ["a file elsewhere may not be read", { code: "EACCES", syscall: "open", path: "/assets/bundle.js" }],
])("An error is not reported as the data folder's if %s", (_, details) => {
  const error = Object.assign(new Error("failed"), details);
  expect(folderError(error, "/data", "LOCAL_DATA_DIR")).toBeUndefined();
});

test.each([
  ["what it concerns in the folder", "/data/assemblies", "/data/assemblies"],
  ["the folder", "/data", "/data"],
  ["the folder, if it cannot be made in another one", "/", "/data"],
])("An error names %s", (_, path, named) => {
  const error = Object.assign(new Error("failed"), { code: "EACCES", syscall: "rmdir", path });
  expect(folderError(error, "/data", "LOCAL_DATA_DIR")?.message).toBe(
    `${named} cannot be used, because permission is denied: allow this user to write to it, or set LOCAL_DATA_DIR to another folder.`,
  );
});
