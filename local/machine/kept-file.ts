import { closeSync, fsyncSync, openSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type * as z from "zod";
import { CommandError } from "./command-error.ts";

/** The remedy for a damaged file of the data folder. */
export const RESTORE =
  "Put a copy of the data folder back, or start with npm start -- --reset, which deletes all local data.";

/**
 * The value of a JSON file that an earlier start wrote, or undefined if there is none.
 *
 * @throws CommandError with the remedy, if the file is damaged
 */
export function readKept<Schema extends z.ZodType>(
  path: string,
  schema: Schema,
  remedy = RESTORE,
): z.infer<Schema> | undefined {
  assertNoFolder(path);
  const text = readIfPresent(path);
  return text === undefined ? undefined : valueIn(path, text, schema, remedy);
}

/**
 * The value of a JSON text that an earlier start wrote to a file.
 *
 * @throws CommandError with the remedy, if it is damaged
 */
export function valueIn<Schema extends z.ZodType>(
  path: string,
  text: string,
  schema: Schema,
  remedy = RESTORE,
): z.infer<Schema> {
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    // Without a cause, whose message would quote the text.
    throw new CommandError(`${path} is damaged. ${remedy}`);
  }
}

/** @throws CommandError if a folder is where a file is expected */
export function assertNoFolder(path: string): void {
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
  throw new CommandError(
    `${path} is a folder, but a file is expected there. Move the folder, then start again.`,
  );
}

/**
 * Replaces a file atomically, readable only by its owner: after a crash or a power failure it has either the old text
 * or the new, and after the call the new.
 */
export function writePrivately(path: string, text: string): void {
  assertNoFolder(path);
  const draft = `${path}.${process.pid}.draft`;
  // A rename may reach the disk before the text does.
  writeFileSync(draft, text, { mode: 0o600, flush: true });
  renameSync(draft, path);
  syncFolder(dirname(path));
}

/** The names in a folder are written to the disk separately (fsync(2)). */
function syncFolder(path: string): void {
  const folder = openSync(path, "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

function readIfPresent(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}
