import { rm } from "node:fs/promises";
import { AppendedFile } from "./appended-file.ts";
import { storedLines } from "./lines.ts";
import { NumberSet } from "./number-set.ts";

const ENTRY = /^(\d+)([.!])$/;
const BEGUN = /^begun (\S+Z)$/;

/** Whether a file that begins like this is a journal, one that a crash has cut off included. */
export function isJournal(beginning: string): boolean {
  return "push ".startsWith(beginning) || /^push [\da-f]+(?:\n|$)/.test(beginning);
}

/**
 * Records the progress of a push, in its own file, so that an interrupted push can be resumed: one line that
 * identifies the push, one with the time of its beginning, then one for each row that is done (`12.`) or refused
 * (`12!`). The file is append-only. A line cut off by a crash lacks its mark.
 */
export class Journal {
  readonly path: string;
  /** The rows that will not be pushed again, including refused ones. */
  readonly done = new NumberSet();
  readonly refused = new NumberSet();
  /** When the first run of the push began, by this machine's clock. */
  begunAt = new Date();
  #file: AppendedFile | undefined;

  private constructor(path: string) {
    this.path = path;
  }

  /**
   * Opens the journal of a push: with the entries of an earlier run, or empty if there is none or it belongs to
   * another push.
   *
   * @param push identifies the push, in one line
   */
  static async open(path: string, push: string): Promise<Journal> {
    const journal = new Journal(path);
    const resumed = await journal.#read(push);
    journal.#file = new AppendedFile(path, resumed ? "a" : "w");
    // The last line may have been cut off, so a resumed journal starts with a new one.
    journal.#file.add(resumed ? "\n" : `${push}\nbegun ${journal.begunAt.toISOString()}\n`);
    return journal;
  }

  /** Records a row that will not be pushed again. */
  note(number: number, outcome: "done" | "refused"): void {
    const mark = outcome === "refused" ? "!" : ".";
    this.#file?.add(`${number}${mark}\n`);
    this.#remember(number, mark);
  }

  close(): void {
    this.#file?.close();
    this.#file = undefined;
  }

  /** Deletes the journal of a complete push, which has nothing to resume. */
  async remove(): Promise<void> {
    this.close();
    await rm(this.path, { force: true });
  }

  /** @returns whether the file belongs to this push */
  async #read(push: string): Promise<boolean> {
    let isSame = false;
    for await (const line of storedLines(this.path)) {
      if (!isSame && line !== push) return false;
      isSame = true;
      const [, number, mark] = ENTRY.exec(line) ?? [];
      if (mark) this.#remember(Number(number), mark);
      const [, begunAt] = BEGUN.exec(line) ?? [];
      if (begunAt) this.begunAt = new Date(begunAt);
    }
    return isSame;
  }

  #remember(number: number, mark: string): void {
    this.done.add(number);
    if (mark === "!") this.refused.add(number);
  }
}
