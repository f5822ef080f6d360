import { rm } from "node:fs/promises";
import { AppendedFile } from "./appended-file.ts";
import { storedLines } from "./lines.ts";
import { NumberSet } from "./number-set.ts";

const ENTRY = /^(\d+)([.!])$/;
const BEGUN = /^begun (\S+Z)$/;

/** Whether a file that begins like this is a journal, one that a crash has cut off included. */
export function isJournal(beginning: string): boolean {
  return "push ".startsWith(beginning) || /^push [\da-f]+(?:$| [\da-f]*(?:\n|$))/.test(beginning);
}

/** Identifies a push, by two hashes. */
export interface PushIdentity {
  /** Of the file's text, and of how it is read. */
  readonly content: string;
  /** Of the environment, the key and the mode. */
  readonly destination: string;
}

/** What a journal contains. */
class Progress {
  readonly done = new NumberSet();
  readonly refused = new NumberSet();
  begunAt = new Date();

  add(number: number, mark: string): void {
    (mark === "!" ? this.refused : this.done).add(number);
  }

  /** Whether there is something to resume: a refused row would be refused again. */
  get isWorthKeeping(): boolean {
    return this.done.size > 0;
  }
}

/**
 * Records the progress of a push, in its own file, so that an interrupted push can be resumed: one line that
 * identifies the push, one with the time of its beginning, then one for each row that is done (`12.`) or refused
 * (`12!`). The file is append-only. A line cut off by a crash lacks its mark.
 */
export class Journal {
  readonly path: string;
  readonly #progress: Progress;
  /** What is written once a row is done. */
  #deferred: string | undefined;
  #file: AppendedFile | undefined;

  private constructor(path: string, progress: Progress) {
    this.path = path;
    this.#progress = progress;
  }

  /**
   * Opens the journal of a push: with the entries of an earlier run, or empty if there is none or it belongs to
   * another push. If that one was interrupted, and has the same content, its journal is replaced only when a row is
   * done: this run may have been given a wrong key or address.
   */
  static async open(path: string, push: PushIdentity): Promise<Journal> {
    const begun = `push ${push.content} `;
    const { header, progress } = await read(path, begun);
    if (header === `${begun}${push.destination}`) {
      const resumed = new Journal(path, progress);
      // The last line may have been cut off.
      resumed.#write("a", "\n");
      return resumed;
    }
    const anew = new Journal(path, new Progress());
    anew.#deferred = `${begun}${push.destination}\nbegun ${anew.begunAt.toISOString()}\n`;
    if (!progress.isWorthKeeping) anew.#begin();
    return anew;
  }

  /** The rows that the service has accepted. */
  get done(): NumberSet {
    return this.#progress.done;
  }

  /** The rows that were refused. */
  get refused(): NumberSet {
    return this.#progress.refused;
  }

  /** When the first run of the push began, by this machine's clock. */
  get begunAt(): Date {
    return this.#progress.begunAt;
  }

  /** Records a row that need not be pushed again. */
  note(number: number, outcome: "done" | "refused"): void {
    const mark = outcome === "refused" ? "!" : ".";
    const entry = `${number}${mark}\n`;
    if (outcome === "done") this.#begin();
    if (this.#file) this.#file.add(entry);
    else this.#deferred += entry;
    this.#progress.add(number, mark);
  }

  /** Ends a run. The file remains if there is something to resume, and the push is not complete. */
  async end(push: { readonly isComplete: boolean }): Promise<void> {
    if (!this.#file) return;
    this.#file.close();
    this.#file = undefined;
    if (push.isComplete || !this.#progress.isWorthKeeping) await rm(this.path, { force: true });
  }

  #begin(): void {
    if (this.#deferred === undefined) return;
    this.#write("w", this.#deferred);
    this.#deferred = undefined;
  }

  #write(flag: "a" | "w", text: string): void {
    this.#file = new AppendedFile(this.path, flag);
    this.#file.add(text);
  }
}

/** Reads a journal whose first line begins with this text; of any other, only that line. */
async function read(
  path: string,
  begun: string,
): Promise<{ readonly header: string; readonly progress: Progress }> {
  const progress = new Progress();
  let header: string | undefined;
  for await (const line of storedLines(path)) {
    header ??= line;
    if (!header.startsWith(begun)) break;
    const [, number, mark] = ENTRY.exec(line) ?? [];
    if (mark) progress.add(Number(number), mark);
    const [, begunAt] = BEGUN.exec(line) ?? [];
    if (begunAt) progress.begunAt = new Date(begunAt);
  }
  return { header: header ?? "", progress };
}
