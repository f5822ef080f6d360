import type { InvocationResult } from "../lambda/execution-environment.ts";
import { batchItemFailures } from "./batch-item-failures.ts";
import type { StreamSource } from "./definition.ts";
import type { StreamRecord } from "./stream-record.ts";

/** Why records are discarded, in Lambda's terms. */
type DiscardCondition = "RetryAttemptsExhausted" | "RecordAgeExceeded";

/** Records that are discarded without having been processed. */
export interface DiscardedRecords {
  readonly records: readonly StreamRecord[];
  readonly condition: DiscardCondition;
  readonly invocations: number;
}

interface Delivery {
  readonly source: StreamSource;
  invoke(payload: string): Promise<InvocationResult>;
  /** Called with records that are no longer delivered. */
  discard(discarded: DiscardedRecords): Promise<void>;
  /** Waits before the next attempt. Returns false if the poller stops and there must be none. */
  pause(attempt: number): Promise<boolean>;
  /** The age of a record, in seconds. */
  ageOf(record: StreamRecord): number;
}

interface Attempt {
  readonly records: readonly StreamRecord[];
  /** The number of invocations in which these records have already failed. */
  readonly failures: number;
}

/**
 * Passes a batch to its function until every record is delivered, or discarded by the source's rules. A failed batch is
 * split in two if the source bisects, which does not count as a retry. Otherwise it is retried, from the first failed
 * record if the function reports it. Returns false if it was stopped before the end.
 */
export async function deliverBatch(records: readonly StreamRecord[], delivery: Delivery): Promise<boolean> {
  const { source, invoke, discard, pause, ageOf } = delivery;
  const attempts: Attempt[] = [{ records, failures: 0 }];
  for (let attempt = attempts.shift(); attempt; attempt = attempts.shift()) {
    const limit = source.maximumRecordAgeSeconds;
    const byExpiry = Map.groupBy(attempt.records, (record) => limit >= 0 && ageOf(record) > limit);
    const expired = byExpiry.get(true) ?? [];
    const fresh = byExpiry.get(false) ?? [];
    if (expired.length > 0) {
      await discard({ records: expired, condition: "RecordAgeExceeded", invocations: attempt.failures });
    }
    if (fresh.length === 0) continue;

    const result = await invoke(JSON.stringify({ Records: fresh }));
    const identifiers = fresh.map(({ dynamodb }) => dynamodb.SequenceNumber);
    const failed = batchItemFailures(result, identifiers, source.reportsItemFailures);
    if (failed !== "all" && failed.size === 0) continue;

    const firstFailed = failed === "all" ? 0 : identifiers.findIndex((identifier) => failed.has(identifier));
    const rest = fresh.slice(firstFailed);
    const failures = firstFailed > 0 ? 1 : attempt.failures + 1;
    if (source.bisectsOnError && failed === "all" && rest.length > 1) {
      const middle = Math.ceil(rest.length / 2);
      attempts.unshift(
        { records: rest.slice(0, middle), failures: attempt.failures },
        { records: rest.slice(middle), failures: attempt.failures },
      );
    } else if (source.maximumRetryAttempts >= 0 && failures > source.maximumRetryAttempts) {
      await discard({ records: rest, condition: "RetryAttemptsExhausted", invocations: failures });
    } else {
      if (!(await pause(failures))) return false;
      attempts.unshift({ records: rest, failures });
    }
  }
  return true;
}

/** Divides records into batches of at most `size` records and at most `bytes` of JSON. */
export function batchesOf(records: readonly StreamRecord[], size: number, bytes: number): StreamRecord[][] {
  const batches: StreamRecord[][] = [];
  let held = Number.POSITIVE_INFINITY;
  for (const record of records) {
    const length = Buffer.byteLength(JSON.stringify(record)) + 1;
    const batch = batches.at(-1);
    if (!batch || batch.length >= size || held + length > bytes) {
      batches.push([record]);
      held = length;
    } else {
      batch.push(record);
      held += length;
    }
  }
  return batches;
}
