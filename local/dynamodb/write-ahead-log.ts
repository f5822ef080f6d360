import { join } from "node:path";
import { openDatabase } from "../machine/database-file.ts";
import { REGION } from "../template.ts";

/** An engine whose stack was killed may need a second until it has ended, too. */
const LOCK_TIMEOUT_MS = 5_000;

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
  // DynamoDB Local has a database per access key id and region.
  const file = join(dataDirectory, `${accessKeyId}_${REGION}.db`);
  openDatabase(file, "PRAGMA journal_mode = WAL; BEGIN IMMEDIATE; ROLLBACK", lockTimeoutMs).close();
}
