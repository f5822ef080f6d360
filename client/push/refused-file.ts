import { rename, rm } from "node:fs/promises";
import { AppendedFile } from "./appended-file.ts";
import { storedLines } from "./lines.ts";
import type { NumberSet } from "./number-set.ts";
import type { Row } from "./row.ts";

/** Why a row was refused. */
export interface Refusal {
  /** The service's error code; `invalid_request` also when the row was found invalid before it was sent. */
  readonly code: string;
  readonly reason: string;
  readonly requestId?: string | undefined;
}

/** The file that refused rows are written to, as NDJSON; there is none until one is refused. */
export class RefusedFile {
  readonly path: string;
  readonly #unit: string;
  #file: AppendedFile | undefined;

  /** @param unit what a row's number counts */
  constructor(path: string, unit: "line" | "item") {
    this.path = path;
    this.#unit = unit;
  }

  /** Begins: of an earlier run of the same push, what it has noted as refused is kept, and nothing else. */
  async begin(refusedBefore: NumberSet | undefined): Promise<void> {
    if (!refusedBefore || refusedBefore.size === 0) {
      await rm(this.path, { force: true });
      return;
    }
    const keptPath = `${this.path}.kept`;
    const kept = new AppendedFile(keptPath, "w");
    for await (const line of storedLines(this.path)) {
      // The number is the first member of each line that is whole.
      const number = Number(/^\{"\w+":(\d+),.*\}$/s.exec(line)?.[1]);
      if (refusedBefore.has(number)) kept.add(`${line}\n`);
    }
    kept.close();
    await rename(keptPath, this.path);
  }

  add({ number, value }: Row, { code, reason, requestId }: Refusal): void {
    this.#file ??= new AppendedFile(this.path, "a");
    const entry = {
      [this.#unit]: number,
      externalId: externalIdOf(value),
      code,
      reason,
      requestId,
      row: value,
    };
    this.#file.add(`${JSON.stringify(entry)}\n`);
  }

  close(): void {
    this.#file?.close();
    this.#file = undefined;
  }
}

function externalIdOf(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null || !("externalId" in value)) return undefined;
  return typeof value.externalId === "string" ? value.externalId : undefined;
}
