import type { DatabaseSync, StatementSync } from "node:sqlite";
import { explaining, openDatabase } from "../machine/database-file.ts";
import { valueIn } from "../machine/kept-file.ts";
import { Message } from "./message.ts";
import { type KeptState, type MessageStore, QueueRecord } from "./message-store.ts";

/**
 * Stores queues and messages in a SQLite file. If the process is killed, everything passed to the operating system is
 * kept. Waiting for the disk at each message would only protect against a power failure, and would block the rest of
 * this process.
 */
export class MessageDatabase implements MessageStore {
  readonly #file: string;
  readonly #database: DatabaseSync;
  readonly #saveQueue: StatementSync;
  readonly #saveMessage: StatementSync;
  readonly #removeMessage: StatementSync;

  /** @throws CommandError if the file is damaged or locked */
  constructor(file: string) {
    this.#file = file;
    this.#database = openDatabase(
      file,
      `
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = NORMAL;
      CREATE TABLE IF NOT EXISTS queues (name TEXT PRIMARY KEY, record TEXT NOT NULL) STRICT;
      CREATE TABLE IF NOT EXISTS messages (id TEXT PRIMARY KEY, queue TEXT NOT NULL, message TEXT NOT NULL) STRICT;
      `,
    );
    const prepare = (statement: string) => explaining(file, () => this.#database.prepare(statement));
    this.#saveQueue = prepare("INSERT OR REPLACE INTO queues VALUES (?, ?)");
    this.#saveMessage = prepare("INSERT OR REPLACE INTO messages VALUES (?, ?, ?)");
    this.#removeMessage = prepare("DELETE FROM messages WHERE id = ?");
  }

  /** @throws CommandError if the file is damaged */
  load(): KeptState {
    const [queues, messages] = explaining(this.#file, () => [
      this.#database.prepare("SELECT record FROM queues").all(),
      this.#database.prepare("SELECT queue, message FROM messages").all(),
    ]);
    return {
      queues: queues.map(({ record }) => valueIn(this.#file, String(record), QueueRecord)),
      messages: messages.map(({ queue, message }) => ({
        queueName: String(queue),
        message: valueIn(this.#file, String(message), Message),
      })),
    };
  }

  saveQueue(queue: QueueRecord): void {
    this.#saveQueue.run(queue.name, JSON.stringify(queue));
  }

  saveMessage(queueName: string, message: Message): void {
    this.#saveMessage.run(message.id, queueName, JSON.stringify(message));
  }

  removeMessage(messageId: string): void {
    this.#removeMessage.run(messageId);
  }

  close(): void {
    this.#database.close();
  }
}
