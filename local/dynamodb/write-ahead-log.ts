import { statSync } from "node:fs";
import { join } from "node:path";
import { explaining, openDatabase } from "../machine/database-file.ts";
import { REGION } from "../template.ts";

/** An engine whose stack was killed may need a second until it has ended, too. */
const LOCK_TIMEOUT_MS = 5_000;
/** How often a long log is emptied, in ms. */
const CHECKPOINT_MS = 1_000;
/** SQLite itself empties a log of 1,000 pages (sqlite.org/pragma.html, "wal_autocheckpoint"). */
const LONG_LOG_BYTES = 4 * 1024 * 1024;
/** The engine reuses the log only if nothing is left in it. What it writes during a pass needs another pass. */
const MOST_PASSES = 5;

/**
 * Switches the database of DynamoDB Local to a write-ahead log, before the engine starts. The mode is stored in the
 * file (sqlite.org/wal.html, "Persistence of WAL mode"), and the engine keeps what it finds. Each write is still synced
 * to the disk, by one fsync instead of the four of SQLite's default, a rollback journal. On a file system that cannot
 * share memory between processes, SQLite keeps the rollback journal.
 *
 * @throws CommandError if the database is damaged, or another process writes it
 */
export function useWriteAheadLog(
  dataDirectory: string,
  accessKeyId: string,
  lockTimeoutMs = LOCK_TIMEOUT_MS,
): void {
  const file = databaseOf(dataDirectory, accessKeyId);
  openDatabase(file, "PRAGMA journal_mode = WAL; BEGIN IMMEDIATE; ROLLBACK", lockTimeoutMs).close();
}

/**
 * Empties the write-ahead log into the database again and again, so that the engine reuses it. The engine itself does
 * not: its log would grow by some 50 KB for each candidate, until the next start. Neither its reads nor its writes wait
 * for this. While it writes without a pause a pass seldom finds nothing left, so the log grows, but more slowly.
 *
 * @returns a function that ends it
 * @throws CommandError if the database is damaged
 */
export function emptyWriteAheadLog(
  dataDirectory: string,
  accessKeyId: string,
  onFault: (error: unknown) => void,
  everyMs = CHECKPOINT_MS,
): () => void {
  const file = databaseOf(dataDirectory, accessKeyId);
  const database = openDatabase(file, "");
  const checkpoint = database.prepare("PRAGMA wal_checkpoint(PASSIVE)");
  const empty = () => {
    const { size = 0 } = statSync(`${file}-wal`, { throwIfNoEntry: false }) ?? {};
    if (size < LONG_LOG_BYTES) return;
    let before: unknown;
    for (let pass = 1; pass <= MOST_PASSES; pass++) {
      const { log } = checkpoint.get() ?? {};
      if (log === before) return;
      before = log;
    }
  };
  const timer = setInterval(() => {
    try {
      explaining(file, empty);
    } catch (error) {
      onFault(error);
    }
  }, everyMs);
  return () => {
    clearInterval(timer);
    database.close();
  };
}

/** DynamoDB Local has a database per access key id and region. */
function databaseOf(dataDirectory: string, accessKeyId: string): string {
  return join(dataDirectory, `${accessKeyId}_${REGION}.db`);
}
