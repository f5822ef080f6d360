import { existsSync, realpathSync } from "node:fs";
import { relative } from "node:path";
import { CommandError } from "./command-error.ts";
import { SQLITE, sqliteCodeOf } from "./sqlite-code.ts";

/**
 * SQLite opens no file whose path, with the 8 characters of `-journal`, is longer than 512 bytes (MAX_PATHNAME in its
 * os_unix.c). The longest path in the data folder is DynamoDB Local's: a slash, `dynamodb`, and a name of 51
 * characters.
 */
const LONGEST_PATH = 512 - 8 - 60;
const PATH_TOO_LONG = "path too long";

/** The reasons for which the operating system refuses a folder (names from errno(3)), and the remedies. */
const REFUSALS: Readonly<Record<string, readonly [why: string, remedy: string]>> = {
  ENOSPC: ["the disk is full", "free some space"],
  EDQUOT: ["the disk quota is used up", "free some space"],
  EROFS: ["its file system is read-only", "make it writable"],
  EACCES: ["permission is denied", "allow this user to write to it"],
  EPERM: ["permission is denied", "allow this user to write to it"],
  ENOENT: ["no folder can be created there", "create it"],
  ENAMETOOLONG: ["its name is too long", "shorten it"],
  [PATH_TOO_LONG]: [`its path is longer than the ${LONGEST_PATH} bytes that SQLite can use`, "shorten it"],
  EEXIST: ["a file is in the way", "move the file"],
  ENOTDIR: ["a file is in the way", "move the file"],
};

/** SQLite's result codes for the same. */
const OF_SQLITE: Readonly<Record<number, string>> = {
  [SQLITE.READONLY]: "EACCES",
  [SQLITE.FULL]: "ENOSPC",
  [SQLITE.CANTOPEN]: "EACCES",
};

/** Explains an error of a folder; undefined if the folder is not the cause. */
export function folderError(
  error: unknown,
  folder: string,
  setting: "LOCAL_DATA_DIR" | "XDG_CACHE_HOME",
): CommandError | undefined {
  const [why, remedy] = REFUSALS[refusalCodeOf(error, folder)] ?? [];
  // A full disk may be reported without a path.
  const path = error instanceof Error && "path" in error ? String(error.path) : folder;
  // An error for a path elsewhere has another cause.
  return why === undefined || error instanceof CommandError || !(isIn(folder, path) || isIn(path, folder))
    ? undefined
    : new CommandError(
        `${isIn(path, folder) ? path : folder} cannot be used, because ${why}: ${remedy}, or set ${setting} to another folder.`,
        { cause: error },
      );
}

function isIn(path: string, folder: string): boolean {
  return !relative(folder, path).startsWith("..");
}

function refusalCodeOf(error: unknown, folder: string): string {
  // An error with an address concerns a port.
  if (!(error instanceof Error) || "address" in error) return "";
  if ("stderr" in error) return fullDiskCodeIn(String(error.stderr));
  const sqliteCode = sqliteCodeOf(error);
  if (sqliteCode !== undefined) {
    return sqliteCode === SQLITE.CANTOPEN && lengthOf(folder) > LONGEST_PATH
      ? PATH_TOO_LONG
      : (OF_SQLITE[sqliteCode] ?? "");
  }
  const code = "code" in error ? String(error.code) : "";
  // Another file that is missing is not the folder's fault.
  return code === "ENOENT" && "syscall" in error && error.syscall !== "mkdir" ? "" : code;
}

/**
 * A failed command may report its own files, but a full disk affects all of them. Node names the code of an error,
 * other programs such as esbuild have only its text.
 */
function fullDiskCodeIn(printed: string): "ENOSPC" | "EDQUOT" | "" {
  if (/\bENOSPC\b|no space left on device/i.test(printed)) return "ENOSPC";
  return /\bEDQUOT\b|dis[kc] quota exceeded/i.test(printed) ? "EDQUOT" : "";
}

/** SQLite follows links, and counts bytes. */
function lengthOf(folder: string): number {
  return existsSync(folder) ? Buffer.byteLength(realpathSync(folder)) : 0;
}
