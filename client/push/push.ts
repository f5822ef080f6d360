import { CommandError } from "../terminal/errors.ts";
import { type BatchLimits, batchesOf } from "./batches.ts";
import type { Journal } from "./journal.ts";
import type { Outcome, Submit } from "./outcome.ts";
import type { Pacer } from "./pacer.ts";
import type { RefusedFile } from "./refused-file.ts";
import type { Row } from "./row.ts";
import type { Tally } from "./tally.ts";
import type { Check } from "./validation.ts";

/** The number of consecutive rows that must fail for the push to stop. */
const FAILURES_IN_A_ROW = 10;

interface Push {
  readonly rows: AsyncGenerator<Row>;
  readonly checkRepetition: Check;
  readonly checkMembers: Check;
  readonly submit: Submit;
  readonly limits: BatchLimits;
  /** The number of batches pushed in parallel. */
  readonly concurrency: number;
  /** The rows already done. Absent if rows cannot be identified across runs. */
  readonly journal: Journal | undefined;
  readonly refusedFile: RefusedFile;
  readonly pacer: Pacer;
  readonly tally: Tally;
  /** Aborted to start no further batch, also by the push itself when it fails. Those in progress are finished. */
  readonly stopping: AbortController;
}

/**
 * Pushes the rows in batches, in order, with a limited number in parallel, so that memory use stays constant for any
 * number of rows.
 *
 * @throws CommandError if the push cannot continue
 */
export async function push(options: Push): Promise<void> {
  const { submit, limits, concurrency, pacer, stopping } = options;
  const stop = stopping.signal;
  const batches = batchesOf(validRows(options), limits);
  let failures = 0;
  let problem: unknown;

  const submitBatch = async (batch: readonly Row[]) => {
    for await (const { row, outcome } of submit(batch, stop)) {
      note(options, row, outcome);
      failures = outcome.kind === "failed" ? failures + 1 : 0;
      if (failures >= FAILURES_IN_A_ROW && outcome.kind === "failed") {
        throw new CommandError(`The service fails for every row: ${outcome.refusal.reason}`);
      }
    }
  };
  const runWorker = async () => {
    while (!stop.aborted) {
      const { done, value: batch } = await batches.next();
      await pacer.ready(stop);
      if (done || stop.aborted) return;
      await submitBatch(batch);
    }
  };
  // If one worker fails, the others end too, each after the batch that it is working on.
  await Promise.all(
    Array.from({ length: concurrency }, () =>
      runWorker().catch((error: unknown) => {
        problem ??= error;
        // The others may be waiting for rows: whoever writes standard input may be silent for long.
        stopping.abort();
      }),
    ),
  );
  await batches.return(undefined);
  if (problem !== undefined) throw problem;
}

/** The rows that are neither done nor refused here. */
async function* validRows(options: Push): AsyncGenerator<Row> {
  const { rows, checkRepetition, checkMembers, journal, refusedFile, tally, stopping } = options;
  for await (const row of untilStopped(rows, stopping.signal)) {
    // Includes rows that are already done, because a later row may repeat one of them.
    const repetition = checkRepetition(row);
    const isRefused = refusedFile.kept.has(row.number);
    if (isRefused || journal?.done.has(row.number)) {
      tally.skipped += 1;
      if (isRefused) tally.skippedRefused += 1;
      tally.skippedBytes += row.bytes;
      tally.bytes += row.bytes;
      continue;
    }
    const refusal = repetition ?? checkMembers(row);
    if (refusal) note(options, row, { kind: "refused", refusal });
    else yield row;
  }
}

/** The rows that are read before the signal is aborted. What cannot be read then is not missed. */
async function* untilStopped(rows: AsyncGenerator<Row>, stop: AbortSignal): AsyncGenerator<Row> {
  try {
    for await (const row of rows) {
      if (stop.aborted) return;
      yield row;
    }
  } catch (error) {
    if (!stop.aborted) throw error;
  }
}

function note({ journal, refusedFile, tally }: Push, row: Row, outcome: Outcome): void {
  // First, so that a row is counted only if its reason is on disk.
  if (outcome.kind === "refused" || outcome.kind === "failed") refusedFile.add(row, outcome.refusal);
  else {
    refusedFile.replaceOther();
    count(outcome.differing ?? [], tally.differing);
    count(outcome.uncompared ?? [], tally.uncompared);
  }
  tally[outcome.kind] += 1;
  tally.bytes += row.bytes;
  // A row for which the service failed is left to the next run.
  if (outcome.kind !== "failed") journal?.note(row.number, outcome.kind === "refused" ? "refused" : "done");
}

function count(names: readonly string[], counts: Map<string, number>): void {
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
}
