import type { CandidateRepository } from "#candidates/store/candidate-repository";
import { ORDINARY_BYTES } from "#candidates/store/large/candidate-size";
import { type BatchResult, externalIdOf } from "#contract/candidate-batch";
import { CandidateSubmission } from "#contract/candidate-submission";
import { type ServiceError, ServiceUnavailable, UNAVAILABLE } from "#contract/errors";
import type { Organisation } from "#contract/organisation";
import { parse } from "#contract/parse";
import { inParallel } from "#runtime/in-parallel";
import { logger } from "#runtime/logger";
import { metrics } from "#runtime/metrics";
import { serviceErrorOf } from "#runtime/service-error";

/**
 * The most rows of a batch that are processed at once. A row of 9.8 KB takes 1.4 ms of processor time (measured), so
 * if a write takes 6 ms, six rows keep a vCPU busy; ten allow for slower writes. The SDK has 50 sockets (AWS SDK for
 * JavaScript, "maxSockets").
 */
const AT_ONCE = 10;

/**
 * A row is not started with less time left than this, in ms: its put is followed by a second one if it finds a
 * tombstone, and a request whose three attempts hang fails after 6 s (lib/runtime/client-defaults.ts). All rows end
 * before the response is sent: a row that continued in a later invocation could be received although its result was
 * an error.
 */
const LEAST_MS = 14_000;

/**
 * The same for a row over {@link ORDINARY_BYTES}, which makes up to four requests one after the other: it reads,
 * writes a notice, stores parts and puts the item. 20 s allow 5 s for each request, or 14 s for throttled parts
 * (section-parts.ts) and 2 s for each of the others. A row whose requests all need their third attempt takes longer
 * than the function's timeout. The caller then gets no results, and no request of the batch continues: Lambda resets
 * the execution environment (AWS Lambda developer guide, "Failures during the invoke phase").
 */
const LEAST_MS_IF_LARGE = 20_000;

/** The message of a row's 503. A batch's response has no `Retry-After`. */
const SEND_AGAIN = `${UNAVAILABLE} Send this candidate again: it may not have been received.`;

/** The metric of the rows that were not received because of a fault of the service. */
export const BATCH_FAULTS = "BatchFaults";

interface Batch {
  readonly organisation: Organisation;
  /** The rows as they were sent, valid or not. */
  readonly rows: readonly unknown[];
  /** The time left to receive them, in ms. */
  remainingMs(): number;
}

/**
 * Receives each row as a separate create, and returns the results in the order of the rows. Rows with the same
 * `externalId` are received one after the other, so that the first of them is the one that is created.
 */
export async function receiveBatch(
  candidates: Pick<CandidateRepository, "receive">,
  { organisation, rows, remainingMs }: Batch,
): Promise<BatchResult[]> {
  const results: BatchResult[] = [];
  const faults: ServiceError[] = [];
  const refused = (row: unknown, thrown: unknown): BatchResult => {
    const error = serviceErrorOf(thrown);
    if (error.status >= 500) faults.push(error);
    const { status, code, message } = error;
    const text = error instanceof ServiceUnavailable ? SEND_AGAIN : message;
    return { externalId: externalIdOf(row), status, error: code, message: text };
  };
  const receive = async (row: unknown): Promise<BatchResult> => {
    try {
      const submission = parse(CandidateSubmission, row, "candidate");
      if (isTooLate(submission, remainingMs())) throw new ServiceUnavailable();
      const { kind, response } = await candidates.receive(organisation, submission);
      const { externalId, stagedId, receivedAt } = response;
      return { externalId, status: 201, stagedId, receivedAt, replayed: kind === "replayed" };
    } catch (thrown) {
      return refused(row, thrown);
    }
  };
  await inParallel([...byCandidate(rows).values()], AT_ONCE, async (same) => {
    for (const [index, row] of same) results[index] = await receive(row);
  });
  report(faults);
  return results;
}

/**
 * Whether a row could outlast the function. Its size is measured only late in a batch, so most rows are never measured.
 */
function isTooLate(submission: CandidateSubmission, leftMs: number): boolean {
  if (leftMs >= LEAST_MS_IF_LARGE) return false;
  return leftMs < LEAST_MS || Buffer.byteLength(JSON.stringify(submission)) > ORDINARY_BYTES;
}

type NumberedRow = [index: number, row: unknown];

/** The rows of each `externalId`. A row without one forms its own group. */
function byCandidate(rows: readonly unknown[]): Map<string | number, NumberedRow[]> {
  return Map.groupBy(rows.entries(), ([index, row]) => externalIdOf(row) ?? index);
}

/** Logs one line for each kind of fault in a batch: deployment gates count the calls that log one. */
function report(faults: readonly ServiceError[]): void {
  if (faults.length === 0) return;
  for (const [code, same] of Map.groupBy(faults, (fault) => fault.code)) {
    logger.error(code, { rows: same.length, cause: same[0]?.cause ?? same[0] });
  }
  metrics.addMetric(BATCH_FAULTS, "Count", faults.length);
  metrics.publishStoredMetrics();
}
