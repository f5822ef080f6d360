import { DatabaseSync } from "node:sqlite";
import { CommandError } from "./command-error.ts";
import { assertNoFolder, RESTORE } from "./kept-file.ts";
import { SQLITE, sqliteCodeOf } from "./sqlite-code.ts";

const LOCKED = "is locked by another process. Stop that process, then start again.";
const DAMAGED = `is damaged. ${RESTORE}`;
/** Why SQLite refuses a file, by its result code. An ERROR here means that its tables are others. */
const REFUSALS: Readonly<Record<number, string>> = {
  [SQLITE.ERROR]: DAMAGED,
  [SQLITE.BUSY]: LOCKED,
  [SQLITE.LOCKED]: LOCKED,
  [SQLITE.CORRUPT]: DAMAGED,
  [SQLITE.NOTADB]: DAMAGED,
};

/**
 * Opens a database file that may be missing yet, and runs the statements that prepare it.
 *
 * @param lockTimeoutMs how long to wait for another process that has locked it
 * @throws CommandError if it is damaged or locked
 */
export function openDatabase(file: string, statements: string, lockTimeoutMs = 0): DatabaseSync {
  assertNoFolder(file);
  const database = new DatabaseSync(file, { timeout: lockTimeoutMs });
  try {
    explaining(file, () => database.exec(statements));
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * The result of work on an open database file.
 *
 * @throws CommandError if the file is damaged or locked
 */
export function explaining<Result>(file: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    const refusal = REFUSALS[sqliteCodeOf(error) ?? 0];
    throw refusal === undefined ? error : new CommandError(`${file} ${refusal}`, { cause: error });
  }
}
