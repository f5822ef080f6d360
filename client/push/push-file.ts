import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { ClientOptions } from "../src/index.ts";
import { connect } from "./connection.ts";
import { ColumnMapping, type CsvLayout } from "./csv-columns.ts";
import { CommandError, UsageError } from "./errors.ts";
import { type Format, formatOf, ROW_UNIT, readRows } from "./formats.ts";
import { watchForInterruption } from "./interruption.ts";
import { Journal } from "./journal.ts";
import { Pacer } from "./pacer.ts";
import { showProgress } from "./progress.ts";
import { push } from "./push.ts";
import { RefusedFile } from "./refused-file.ts";
import { fileSource, fingerprintOf, standardInput } from "./source.ts";
import { createThrough, type Submit, syncThrough, validateOnly } from "./submit.ts";
import { summary } from "./summary.ts";
import { emptyTally } from "./tally.ts";

export interface PushOptions {
  readonly url?: string;
  readonly key?: string;
  readonly format?: Format;
  readonly sync?: true;
  readonly dryRun?: true;
  readonly concurrency: number;
  readonly refusedFile?: string;
  readonly journal?: string;
  readonly columns?: string;
  readonly delimiter: string;
  readonly null?: string;
}

/** The exit code if some rows are not done. */
const FAILED = 1;

/** Retries per call, over about a minute in all. Then the run ends, and can be resumed. */
const RETRIES = 10;

/**
 * Pushes a file of candidates, or standard input.
 *
 * @returns the exit code: 0 if every row is done, 1 if not, 128 plus the signal's number if interrupted
 * @throws UsageError if the push cannot start
 */
export async function pushFile(file: string, options: PushOptions): Promise<number> {
  const format = options.format ?? formatOf(file);
  const layout = await layoutOf(options);
  const source = file === "-" ? standardInput() : await fileSource(file);
  const pacer = new Pacer();
  const submit = submitThrough(options, pacer);
  for (const own of [options.journal, options.refusedFile]) {
    if (own && resolve(own) === resolve(file)) throw new UsageError(`${own} would be overwritten.`);
  }
  const journal = await journalOf(file, format, layout, options);
  const refusedFile = new RefusedFile(options.refusedFile ?? refusedFileOf(file, options), ROW_UNIT[format]);
  await refusedFile.begin(journal?.refused);
  const tally = emptyTally();
  const interruption = watchForInterruption("Finishing the rows in progress.");
  const startedAt = performance.now();
  const progress = showProgress(process.stderr, {
    tally,
    size: source.size,
    pauseMs: () => pacer.remainingMs,
  });
  let failure: unknown;
  try {
    await push({
      rows: readRows(source, format, layout),
      submit,
      concurrency: options.concurrency,
      journal,
      refusedFile,
      pacer,
      tally,
      stop: interruption.signal,
    });
  } catch (error) {
    failure = error;
  }
  interruption.end();
  progress.stop();
  refusedFile.close();
  const refused = journal?.refused.size ?? tally.refused;
  const isOver = failure === undefined && interruption.exitCode === undefined && tally.failed === 0;
  // A journal without rows has nothing to resume either.
  if (isOver || journal?.done.size === 0) await journal?.remove();
  else journal?.close();
  if (failure !== undefined && !(failure instanceof CommandError)) throw failure;
  if (failure) process.stderr.write(`${failure.message}\n`);
  process.stdout.write(
    summary({
      tally,
      refused,
      refusedFile: refusedFile.path,
      seconds: (performance.now() - startedAt) / 1000,
      goOn: isOver || options.dryRun ? undefined : journal ? "again" : "afresh",
    }),
  );
  return interruption.exitCode ?? (isOver && refused === 0 ? 0 : FAILED);
}

async function layoutOf({ columns, delimiter, null: nullText }: PushOptions): Promise<CsvLayout> {
  if (delimiter === "") throw new UsageError("--delimiter: the character is missing.");
  return {
    delimiter: delimiter === "\\t" ? "\t" : delimiter,
    nullText,
    columns: columns === undefined ? {} : await readMapping(columns),
  };
}

async function readMapping(file: string): Promise<ColumnMapping> {
  try {
    return ColumnMapping.parse(JSON.parse(await readFile(file, "utf8")));
  } catch (cause) {
    throw new UsageError(
      `${file} is not a column mapping. Write a JSON object of headings and members, such as {"E-mail": "email", "Notes": null}.`,
      { cause },
    );
  }
}

function submitThrough({ dryRun, sync, url, key }: PushOptions, pacer: Pacer): Submit {
  if (dryRun) return validateOnly;
  const client = connect({ url, key }, { retries: RETRIES, onRetry: slowDown(pacer) });
  return sync ? syncThrough(client) : createThrough(client);
}

/** The service asks to slow down: pauses current and future calls. */
function slowDown(pacer: Pacer): ClientOptions["onRetry"] {
  return ({ error, waitMs }) => {
    if (error.status === 429 || error.status === 503) pacer.pause(waitMs);
  };
}

/**
 * The journal of a push that can be resumed. A push is the same if the file's bytes, the format and layout, and the
 * destination are the same. The key is hashed.
 */
async function journalOf(
  file: string,
  format: Format,
  layout: CsvLayout,
  { url, key, sync, dryRun, journal }: PushOptions,
): Promise<Journal | undefined> {
  if (file === "-" || dryRun) return undefined;
  const parts = [await fingerprintOf(file), format, layout, url, key, sync ?? false];
  const push = `push ${createHash("sha256").update(JSON.stringify(parts)).digest("hex")}`;
  return Journal.open(journal ?? `${file}.push-journal`, push);
}

function refusedFileOf(file: string, { dryRun }: PushOptions): string {
  const name = file === "-" ? resolve("standard-input") : file;
  return dryRun ? `${name}.dry-run.refused.ndjson` : `${name}.refused.ndjson`;
}
