import { resolve } from "node:path";
import { isLock, lock, lockPathOf } from "../terminal/lock.ts";
import { isJournal } from "./journal.ts";
import { assertOther, assertReplaceable, wouldBeOverwritten } from "./own-files.ts";
import { isRefusedFile, keptPathOf } from "./refused-file.ts";
import type { Source } from "./source.ts";

/** The options of the command that decide which files a push writes. */
export interface PathOptions {
  readonly dryRun?: true;
  readonly journal?: string;
  readonly refusedFile?: string;
}

/** The files that a push writes. */
export interface PushPaths {
  /** Undefined if the push cannot be resumed: that of standard input, and a dry run. */
  readonly journal: string | undefined;
  readonly refusedFile: string;
}

/**
 * The files that a push of this source writes.
 *
 * @throws UsageError if one of them would replace a file that the command has not written
 */
export async function pathsOf(file: string, source: Source, options: PathOptions): Promise<PushPaths> {
  const journal = options.journal ?? `${source.name}.push-journal`;
  const refusedFile = options.refusedFile ?? refusedFileOf(file, options);
  const paths = {
    journal: source.size === undefined || options.dryRun ? undefined : journal,
    refusedFile,
  };
  if (resolve(journal) === resolve(refusedFile)) {
    throw wouldBeOverwritten(journal, "--journal or --refused-file");
  }
  await assertOther(journal, file, "--journal");
  await assertOther(refusedFile, file, "--refused-file");
  if (paths.journal !== undefined) {
    await assertReplaceable(paths.journal, isJournal, "--journal");
    await assertReplaceable(lockPathOf(paths.journal), isLock, "--journal");
  }
  await assertReplaceable(refusedFile, isRefusedFile, "--refused-file");
  await assertReplaceable(keptPathOf(refusedFile), isRefusedFile, "--refused-file");
  await assertReplaceable(lockPathOf(refusedFile), isLock, "--refused-file");
  return paths;
}

function refusedFileOf(file: string, { dryRun }: PathOptions): string {
  const name = file === "-" ? resolve("standard-input") : file;
  return dryRun ? `${name}.dry-run.refused.ndjson` : `${name}.refused.ndjson`;
}

/**
 * Keeps other pushes from the files that this one writes.
 *
 * @returns a function that ends the locks
 * @throws CommandError if another push holds one
 */
export function lockPaths({ journal, refusedFile }: PushPaths): () => void {
  const unlocks: (() => void)[] = [];
  const unlock = () => {
    for (const each of unlocks) each();
  };
  const lockFile = (path: string, other: string, option: string) =>
    unlocks.push(lock({ path: lockPathOf(path), other, remedy: `Choose another location with ${option}.` }));
  try {
    if (journal !== undefined) lockFile(journal, "Another push of this file", "--journal");
    lockFile(refusedFile, `Another push with the --refused-file ${refusedFile}`, "--refused-file");
  } catch (error) {
    unlock();
    throw error;
  }
  return unlock;
}
