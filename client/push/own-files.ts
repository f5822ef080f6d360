import { constants } from "node:fs";
import { access, lstat, open, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { CommandError, UsageError } from "../terminal/errors.ts";

/** The length of the beginning of a file that identifies it, in bytes. */
const BEGINNING = 128;

/**
 * @param option with which another path is chosen
 * @throws UsageError if both paths are of the same file: by any name, symbolic or hard link
 */
export async function assertOther(path: string, input: string, option: string): Promise<void> {
  const [own, other] = await Promise.all([path, input].map((each) => stat(each).catch(() => undefined)));
  if (own && other && own.dev === other.dev && own.ino === other.ino) {
    throw wouldBeOverwritten(path, option);
  }
}

/** That a file which the push writes is another file of the push too. */
export function wouldBeOverwritten(path: string, option: string): UsageError {
  return new UsageError(`${path} would be overwritten. Choose another location with ${option}.`);
}

/**
 * Checks that nothing is at the path, or a file that this command has written, and that it can be replaced.
 *
 * @param isOwn whether a file that begins like this is such a file
 * @param option with which another path is chosen
 * @throws UsageError if something else is there
 * @throws CommandError if no file can be created or removed there
 */
export async function assertReplaceable(
  path: string,
  isOwn: (beginning: string) => boolean,
  option: string,
): Promise<void> {
  await access(dirname(path), constants.W_OK).catch((cause: NodeJS.ErrnoException) => {
    throw new CommandError(
      `${path} cannot be written (${cause.code}). Choose another location with ${option}.`,
      { cause },
    );
  });
  const file = await lstat(path).catch(() => undefined);
  if (file && isOfAnotherUser(file)) {
    throw new UsageError(
      `${path} belongs to another user. Remove it, or choose another location with ${option}.`,
    );
  }
  const beginning = await beginningOf(path).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === "ENOENT") return "";
    throw new UsageError(`${path} cannot be read (${cause.code}). Choose another location with ${option}.`, {
      cause,
    });
  });
  if (beginning !== undefined && isOwn(beginning)) return;
  throw new UsageError(
    `${path} exists and was not written by this command. Move it, or choose another location with ${option}.`,
  );
}

/** Whether a file is another user's, who could read and change what is added. Windows has no such number. */
export function isOfAnotherUser({ uid }: { readonly uid: number }): boolean {
  return process.getuid !== undefined && uid !== process.getuid();
}

/**
 * The beginning of a file; undefined for anything else: a link, which may lead anywhere, a folder, a pipe, a device.
 */
async function beginningOf(path: string): Promise<string | undefined> {
  if (!(await lstat(path)).isFile()) return undefined;
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(BEGINNING) });
    return buffer.toString("utf8", 0, bytesRead);
  } finally {
    await file.close();
  }
}
