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
