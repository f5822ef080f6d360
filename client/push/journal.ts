import { rm } from "node:fs/promises";
import { AppendedFile } from "./appended-file.ts";
import { storedLines } from "./lines.ts";
import { NumberSet } from "./number-set.ts";

const ENTRY = /^(\d+)([.!])$/;

/**
 * What of a push is done, in a file of its own, so that the same push goes on where it was interrupted: a
 * line that names the push, then a line for each row that is done (`12.`) or refused (`12!`). Lines are only
 * added; one that a crash cut off lacks its mark.
 */
export class Journal {
  readonly path: string;
  /** The rows that will not be pushed again, the refused ones among them. */
  readonly done = new NumberSet();
  readonly refused = new NumberSet();
  #file: AppendedFile | undefined;

  private constructor(path: string) {
    this.path = path;
  }

  /**
   * The journal of a push: with what an earlier run of it has written, or empty when there is none or it is
   * another push's.
   *
   * @param push what makes it the same push, in one line
   */
  static async open(path: string, push: string): Promise<Journal> {
    const journal = new Journal(path);
    const resumed = await journal.#read(push);
    journal.#file = new AppendedFile(path, resumed ? "a" : "w");
    // To go on is to begin a line: the last one may have been cut off.
    journal.#file.add(resumed ? "\n" : `${push}\n`);
    return journal;
  }

  /** Notes a row that will not be pushed again. */
  note(number: number, outcome: "done" | "refused"): void {
    const mark = outcome === "refused" ? "!" : ".";
    this.#file?.add(`${number}${mark}\n`);
    this.#remember(number, mark);
  }

  close(): void {
    this.#file?.close();
    this.#file = undefined;
  }

  /** Ends a push that is through: there is nothing left to go on with. */
  async remove(): Promise<void> {
    this.close();
    await rm(this.path);
  }

  /** @returns whether the file is this push's */
  async #read(push: string): Promise<boolean> {
    let isSame = false;
    for await (const line of storedLines(this.path)) {
      if (!isSame && line !== push) return false;
      isSame = true;
      const [, number, mark] = ENTRY.exec(line) ?? [];
      if (mark) this.#remember(Number(number), mark);
    }
    return isSame;
  }

  #remember(number: number, mark: string): void {
    this.done.add(number);
    if (mark === "!") this.refused.add(number);
  }
}
