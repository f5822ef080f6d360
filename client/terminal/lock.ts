import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { CommandError } from "./errors.ts";

/** What only one process may use at a time, and the sentences for users. */
export interface Locked {
  /** The file in which the process is recorded that uses it. */
  readonly path: string;
  /** What the other process is, such as `Another push of this file`. */
  readonly other: string;
  /** What to do if the file cannot be written. */
  readonly remedy: string;
}

/** Where the process that uses a file is recorded. */
export function lockPathOf(file: string): string {
  return `${file}.lock`;
}

/** Whether a file that begins like this is a lock, one that a crash has cut off included. */
export function isLock(beginning: string): boolean {
  return /^\d*\n?$/.test(beginning);
}

/**
 * Keeps other processes from using the same file. A lock whose process no longer runs is replaced.
 *
 * @returns a function that ends the lock
 * @throws CommandError if another process holds it
 */
export function lock(locked: Locked): () => void {
  const { path, remedy } = locked;
  const holder = holderOf(path);
  // A process with this one's number was an earlier one, for example in a container that was started again.
  if (holder !== undefined && holder !== process.pid && isRunning(holder)) throw inUse(locked, holder);
  if (holder !== undefined) removeEnded(locked, holder);
  try {
    create(path, process.pid);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    // Another process was faster.
    if (code === "EEXIST") throw inUse(locked);
    throw new CommandError(`${path} cannot be written (${code}). ${remedy}`, { cause });
  }
  return () => rmSync(path, { force: true });
}

/** Only its owner may read it, and none may be there. */
const NEW = { flag: "wx", mode: 0o600 };

function create(path: string, holder: number): void {
  const content = `${holder}\n`;
  try {
    createWhole(path, content);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") throw error;
    // A file system such as FAT has no links, and the name of one may be too long.
    writeFileSync(path, content, NEW);
  }
}

/** Creates a lock as a whole: others would take one that is still empty for one that a crash has cut off. */
function createWhole(path: string, content: string): void {
  const whole = `${path}.${process.pid}`;
  rmSync(whole, { force: true });
  try {
    writeFileSync(whole, content, NEW);
    linkSync(whole, path);
  } finally {
    rmSync(whole, { force: true });
  }
}

/**
 * Removes the lock of a process that has ended. Another process may have found the same one, and replaced it since: the
 * file is moved, which only one of them can do, and put back if it is the other's.
 *
 * @throws CommandError if another process was faster
 */
function removeEnded(locked: Locked, ended: number): void {
  const { path } = locked;
  const moved = `${path}.${process.pid}`;
  try {
    renameSync(path, moved);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
    throw error;
  }
  const holder = holderOf(moved);
  rmSync(moved, { force: true });
  // Also if both are NaN.
  if (Object.is(holder, ended)) return;
  try {
    create(path, Number(holder));
  } catch {
    // A third process holds it, or nothing can be written here.
  }
  throw inUse(locked, holder);
}

/**
 * The process recorded in a lock: 0 if a crash has cut it off, NaN if it contains something else, and undefined if
 * there is no lock.
 */
function holderOf(path: string): number | undefined {
  try {
    return Number(readFileSync(path, "utf8"));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

function isRunning(id: number): boolean {
  if (id === 0) return false;
  try {
    process.kill(id, 0);
    return true;
  } catch (error) {
    // Another user's process.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function inUse({ path, other }: Locked, holder?: number): CommandError {
  const which = holder === undefined ? "" : ` (process ${holder})`;
  return new CommandError(
    `${other} is running${which}. Wait until it has ended, then run the command again. If that process is another program, delete ${path} first.`,
  );
}
