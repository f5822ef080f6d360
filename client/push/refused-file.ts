import { rmSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { printableJson } from "../terminal/printable.ts";
import { AppendedFile } from "./appended-file.ts";
import { storedLines } from "./lines.ts";
import { NumberSet } from "./number-set.ts";
import { externalIdOf, type Row, type RowUnit } from "./row.ts";

/** Why a row was refused. */
export interface Refusal {
  /** The service's error code. Rows refused by local validation have `invalid_request`. */
  readonly code: string;
  readonly reason: string;
  readonly requestId?: string | undefined;
}

/** How many reasons are kept to be shown. */
const SHOWN = 5;

/** Whether a file that begins like this is a file of refused rows. */
export function isRefusedFile(beginning: string): boolean {
  return beginning === "" || /^\n?\{"(?:line|item)":\d+,"(?:externalId|code)":"/.test(beginning);
}

/** The temporary file for the rows of an earlier run that stay in the file of refused rows. */
export function keptPathOf(path: string): string {
  return `${path}.kept`;
}

/** The NDJSON file of refused rows. It is created with the first one. */
export class RefusedFile {
  readonly path: string;
  /** The rows of an earlier run that it contains. */
  readonly kept = new NumberSet();
  readonly #unit: RowUnit;
  /** The reasons of the first refused rows in the order of the file, not in the order of the responses. */
  #first: { readonly number: number; readonly reason: string }[] = [];
  #file: AppendedFile | undefined;
  /** Whether the file, if there is one, is that of another push. */
  #isOfAnother = false;

  constructor(path: string, unit: RowUnit) {
    this.path = path;
    this.#unit = unit;
  }

  /** The first reasons in the order of the file, each with the line or item of its row. */
  get firstReasons(): readonly string[] {
    return this.#first.map(({ number, reason }) => `${this.#unit} ${number}: ${reason}`);
  }

  /**
   * Starts the file. It keeps only the rows that an earlier run of the same push recorded as refused. The file of
   * another push stays until {@link replaceOther} is called.
   */
  async begin(refusedBefore: NumberSet | undefined): Promise<void> {
    const keptPath = keptPathOf(this.path);
    if (!refusedBefore || refusedBefore.size === 0) {
      // A crash of an earlier run may have left the temporary file.
      await rm(keptPath, { force: true });
      this.#isOfAnother = true;
      return;
    }
    const kept = new AppendedFile(keptPath, "w");
    for await (const line of storedLines(this.path)) {
      // In a complete line the number is the first member.
      const number = Number(/^\{"\w+":(\d+),.*\}$/s.exec(line)?.[1]);
      if (!refusedBefore.has(number)) continue;
      kept.add(`${line}\n`);
      this.kept.add(number);
    }
    kept.close();
    await rename(keptPath, this.path);
  }

  /**
   * Removes the file of another push, once this one has made progress: a run with a wrong key or option must not remove
   * the only copy of rows that came from standard input. It is not emptied, because it may be that standard input.
   */
  replaceOther(): void {
    if (this.#isOfAnother) rmSync(this.path, { force: true });
    this.#isOfAnother = false;
  }

  add({ number, value }: Row, { code, reason, requestId }: Refusal): void {
    this.replaceOther();
    this.#file ??= new AppendedFile(this.path, "a");
    const entry = {
      [this.#unit]: number,
      externalId: externalIdOf(value),
      code,
      reason,
      requestId,
      row: value,
    };
    this.#file.add(`${printableJson(entry)}\n`);
    this.#first = [...this.#first, { number, reason }]
      .sort((one, other) => one.number - other.number)
      .slice(0, SHOWN);
  }

  close(): void {
    this.#file?.close();
    this.#file = undefined;
  }
}
