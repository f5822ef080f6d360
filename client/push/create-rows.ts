import {
  type CandidateServiceClient,
  CandidateServiceError,
  type CandidateSubmission,
  type ReceivedRow,
  type RefusedRow,
} from "../src/index.ts";
import { backoffMs } from "../src/retry.ts";
import { isNoSuchPath } from "../terminal/wrong-address.ts";
import type { BatchLimits } from "./batches.ts";
import { commandErrorOf, type Outcome, outcomeOf, type Submit } from "./outcome.ts";
import type { Pacer } from "./pacer.ts";
import { RETRIES } from "./reachability.ts";
import type { Row } from "./row.ts";

/** A row whose candidate exists now. */
interface CreatedRow {
  readonly row: Row;
  readonly stagedId: string;
  readonly receivedAt: string;
  readonly replayed: boolean;
}

/** A row whose candidate exists now, or the outcome of one whose candidate could not be created. */
type Creation = CreatedRow | { readonly row: Row; readonly outcome: Outcome };

/** Creates the candidates of rows. */
export type CreateRows = (rows: readonly Row[], stop: AbortSignal) => AsyncGenerator<Creation>;

export interface RowCreatorOptions {
  readonly client: CandidateServiceClient;
  /** Narrowed to single rows if the service has no batches. */
  readonly limits: BatchLimits;
  readonly pacer: Pacer;
}

/** The status codes for which the rows of a batch are sent one by one, so that each has its own outcome. */
const REFUSED_AS_A_WHOLE = new Set([400, 413, 500]);

/** Creates the candidates of several rows with one batch request, and that of a single row with a single create. */
export function rowCreator(options: RowCreatorOptions): CreateRows {
  return (rows, stop) =>
    rows.length > 1 ? createBatch(options, rows, stop) : createEach(options, rows, stop);
}

/** Creates the candidate of each row; one that existed before the push is left unchanged. */
export function createOnly(create: CreateRows, begunAt: Date): Submit {
  return async function* (rows, stop) {
    for await (const creation of create(rows, stop)) {
      if ("outcome" in creation) yield creation;
      else yield { row: creation.row, outcome: { kind: isNew(creation, begunAt) ? "created" : "unchanged" } };
    }
  };
}

/**
 * Whether the push has created a candidate. One that was received since the push began counts as created: the response
 * to an earlier attempt, or an earlier run, was lost.
 */
export function isNew({ replayed, receivedAt }: CreatedRow, begunAt: Date): boolean {
  return !replayed || new Date(receivedAt) >= begunAt;
}

async function* createEach({ client, pacer }: RowCreatorOptions, rows: readonly Row[], stop: AbortSignal) {
  for (const row of rows) {
    await pacer.ready(stop);
    if (stop.aborted) return;
    try {
      const { stagedId, receivedAt, replayed } = await client.createCandidate(
        row.value as CandidateSubmission,
      );
      yield { row, stagedId, receivedAt, replayed };
    } catch (error) {
      if (isNoSuchPath(error)) throw commandErrorOf(error);
      yield { row, outcome: outcomeOf(error) };
    }
  }
}

/**
 * Sends the rows, and sends those again for which the service failed, up to {@link RETRIES} times without progress.
 */
async function* createBatch(options: RowCreatorOptions, rows: readonly Row[], stop: AbortSignal) {
  let left = rows;
  for (let attempts = 1; left.length > 0 && !stop.aborted; attempts += 1) {
    const results = await sendBatch(options, left);
    if (!results) {
      yield* createEach(options, left, stop);
      return;
    }
    const again: Row[] = [];
    if (results.some(({ result }) => !isFault(result))) attempts = 1;
    let problem: unknown;
    for (const { row, result } of results) {
      if (isFault(result) && attempts <= RETRIES) {
        again.push(row);
        continue;
      }
      try {
        yield creationOf(row, result);
      } catch (error) {
        // This error ends the push, but not before the candidates of the other rows are counted.
        problem ??= error;
      }
    }
    if (problem !== undefined) throw problem;
    left = again;
    if (left.length > 0) await backOff(options.pacer, attempts, stop);
  }
}

type Result = ReceivedRow | RefusedRow;

/** Whether the service failed for a row, which may have been received or not. */
function isFault({ status }: Result): boolean {
  return status >= 500;
}

/** @returns each row's result, or undefined if the rows must be sent one by one */
async function sendBatch({ client, limits }: RowCreatorOptions, rows: readonly Row[]) {
  try {
    const { results } = await client.createCandidateBatch(
      rows.map(({ value }) => value as CandidateSubmission),
    );
    // The client has checked that there is a result for each row.
    return rows.map((row, at) => ({ row, result: results[at] as Result }));
  } catch (error) {
    // The service has no batches, or the address is wrong: the first create of a single row shows which.
    if (isNoSuchPath(error)) limits.rows = 1;
    else if (!isRefusedAsAWhole(error)) throw commandErrorOf(error);
    return undefined;
  }
}

function isRefusedAsAWhole(error: unknown): boolean {
  return error instanceof CandidateServiceError && REFUSED_AS_A_WHOLE.has(error.status ?? 0);
}

function creationOf(row: Row, result: Result): Creation {
  if ("stagedId" in result) {
    const { stagedId, receivedAt, replayed } = result;
    return { row, stagedId, receivedAt, replayed };
  }
  const { error, message, status } = result;
  return { row, outcome: outcomeOf(new CandidateServiceError(error, message, { status })) };
}

/** Pauses all calls, for longer after each attempt. */
async function backOff(pacer: Pacer, attempts: number, stop: AbortSignal): Promise<void> {
  pacer.pause(backoffMs(attempts, Math.random()), "the service is busy");
  await pacer.ready(stop);
}
