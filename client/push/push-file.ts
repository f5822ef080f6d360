import { createHash } from "node:crypto";
import { BATCH_ROWS } from "../../lib/contract/candidate-batch.ts";
import { BODY_BYTES } from "../../lib/contract/errors.ts";
import { withoutTrailingSlashes } from "../src/base-url.ts";
import { type CandidateServiceClient, CandidateServiceError } from "../src/index.ts";
import { createClient } from "../terminal/connection.ts";
import { CommandError } from "../terminal/errors.ts";
import { FAILED, SUCCEEDED } from "../terminal/exit-code.ts";
import { endedByInterruption, watchForInterruption } from "../terminal/interruption.ts";
import { printable } from "../terminal/printable.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { addressProblem, isNoSuchPath } from "../terminal/wrong-address.ts";
import { createOnly, type RowCreatorOptions, rowCreator } from "./create-rows.ts";
import { type CsvLayout, type CsvOptions, layoutOf } from "./csv-layout.ts";
import { type Format, formatOf, ROW_UNIT } from "./format.ts";
import { Journal } from "./journal.ts";
import { type Submit, validateOnly } from "./outcome.ts";
import { Pacer } from "./pacer.ts";
import { showProgress } from "./progress.ts";
import { push } from "./push.ts";
import { lockPaths, type PathOptions, type PushPaths, pathsOf } from "./push-paths.ts";
import { connectionProblem, retryOptions } from "./reachability.ts";
import { readRows } from "./read-rows.ts";
import { RefusedFile } from "./refused-file.ts";
import { SeenIdentifiers } from "./seen-identifiers.ts";
import { fileSource, fingerprintOf, type Source, standardInput } from "./source.ts";
import { summary } from "./summary.ts";
import { emptyTally } from "./tally.ts";
import { createOrAmend } from "./update-rows.ts";
import { checkMembers, checkRepetition } from "./validation.ts";

export interface PushOptions extends CsvOptions, PathOptions {
  readonly url?: string;
  readonly key?: string;
  readonly format?: Format;
  readonly update?: true;
  readonly concurrency: number;
}

/** The most bytes that the rows of a batch may have; the rest of a body is for the JSON around them. */
const BATCH_BYTES = BODY_BYTES - 100;

/**
 * Pushes a file of candidates, or standard input.
 *
 * @returns the exit code: 0 if every row is done, 1 if not, 128 plus the signal's number if interrupted
 * @throws UsageError if the push cannot start
 */
export async function pushFile(file: string, options: PushOptions, terminal: Terminal): Promise<number> {
  const format = options.format ?? formatOf(file);
  const layout = await layoutOf(format, options);
  const pacer = new Pacer();
  const stopping = new AbortController();
  const source = file === "-" ? standardInput(terminal, stopping.signal) : await fileSource(file);
  const client = options.dryRun ? undefined : createClient(options, retryOptions(pacer, stopping.signal));
  const paths = await pathsOf(file, source, options);
  const unlock = lockPaths(paths);
  terminal.once("exit", unlock);
  try {
    return await pushSource({ source, format, layout, options, client, pacer, stopping, paths }, terminal);
  } finally {
    terminal.off("exit", unlock);
    unlock();
  }
}

interface PreparedPush {
  readonly source: Source;
  readonly format: Format;
  readonly layout: CsvLayout;
  readonly options: PushOptions;
  /** Absent in a dry run. */
  readonly client: CandidateServiceClient | undefined;
  readonly pacer: Pacer;
  readonly stopping: AbortController;
  readonly paths: PushPaths;
}

async function pushSource(prepared: PreparedPush, terminal: Terminal): Promise<number> {
  const { source, format, layout, options, client, pacer, stopping } = prepared;
  const limits = { rows: BATCH_ROWS, bytes: BATCH_BYTES };
  const { journal, refusedFile } = await endedByInterruption(terminal, () => openFiles(prepared));
  const begunAt = journal?.begunAt ?? new Date();
  const seen = new SeenIdentifiers();
  const tally = emptyTally();
  const notes: string[] = [];
  const interruption = watchForInterruption(terminal, () => "Finishing the rows in progress.", stopping);
  const startedAt = performance.now();
  const progress = showProgress(terminal, {
    tally,
    size: source.size,
    delay: () => pacer.delay,
  });
  let failure: unknown;
  try {
    await push({
      rows: readRows(source, format, layout, (sentence) => notes.push(sentence)),
      checkRepetition: checkRepetition(seen, ROW_UNIT[format]),
      checkMembers,
      submit: submitOf({ client, limits, pacer }, options, begunAt),
      limits,
      concurrency: options.concurrency,
      journal,
      refusedFile,
      pacer,
      tally,
      stopping,
    });
  } catch (error) {
    failure = error;
  }
  interruption.end();
  const isOver = failure === undefined && interruption.exitCode === undefined && tally.failed === 0;
  progress.stop(isOver);
  refusedFile.close();
  const refused = refusedFile.kept.size + tally.refused;
  await journal?.end({ isComplete: isOver });
  if (failure !== undefined && !(failure instanceof CommandError)) throw failure;
  if (failure) terminal.stderr.write(`${printable(failureMessage(failure, options))}\n`);
  terminal.stdout.write(
    summary({
      tally,
      notes,
      refused,
      refusedFile: refusedFile.path,
      firstReasons: refusedFile.firstReasons,
      compared: seen.isFull ? seen.size : undefined,
      mode: options.dryRun ? "dry run" : options.update ? "update" : "create",
      seconds: (performance.now() - startedAt) / 1000,
      goOn: isOver || options.dryRun ? undefined : (failure?.correct ?? (journal ? "again" : "afresh")),
    }),
  );
  return interruption.exitCode ?? (isOver && refused === 0 ? SUCCEEDED : FAILED);
}

/** Opens the files that the push writes, which takes a while: the journal is identified by the text of the source. */
async function openFiles({ source, format, layout, options, paths }: PreparedPush) {
  const journal = await journalOf(source, format, layout, options, paths.journal);
  const refusedFile = new RefusedFile(paths.refusedFile, ROW_UNIT[format]);
  await refusedFile.begin(journal?.refused);
  return { journal, refusedFile };
}

/** What to do with each batch: check only, create candidates, or also amend existing ones. */
function submitOf(
  creator: Omit<RowCreatorOptions, "client"> & { readonly client: CandidateServiceClient | undefined },
  { update }: PushOptions,
  begunAt: Date,
): Submit {
  const { client } = creator;
  if (!client) return validateOnly;
  const options = { ...creator, client };
  const create = rowCreator(options);
  return update ? createOrAmend(options, create, begunAt) : createOnly(create, begunAt);
}

function failureMessage({ message, cause }: CommandError, { url = "" }: PushOptions): string {
  if (isNoSuchPath(cause)) return addressProblem(cause, url);
  const isLost = cause instanceof CandidateServiceError && cause.code === "connection_failed";
  return isLost ? connectionProblem(cause, url) : message;
}

/**
 * The journal of a push that can be resumed: of the same text in the same format and layout, to the same environment,
 * with the same key and mode.
 */
async function journalOf(
  source: Source,
  format: Format,
  layout: CsvLayout,
  { url, key, update }: PushOptions,
  path: string | undefined,
): Promise<Journal | undefined> {
  if (path === undefined) return undefined;
  const environment = url === undefined ? undefined : withoutTrailingSlashes(url);
  const content = hashOf([await fingerprintOf(source), format, layout]);
  return Journal.open(path, { content, destination: hashOf([content, environment, key, update ?? false]) });
}

/** SHA-256 of the parts as JSON, in hex. */
function hashOf(parts: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}
