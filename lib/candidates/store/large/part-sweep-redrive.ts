import type { _Record, DynamoDBStreamsClient } from "@aws-sdk/client-dynamodb-streams";
import { WRITE_PREFIX } from "#candidates/store/item/section-reference";
import type { PartSweep } from "#candidates/store/large/part-sweep";
import { partitionKeyOf } from "#candidates/store/large/part-sweep-batch";
import { FailedBatch, readFailedBatch } from "#runtime/failed-batch";
import { logger } from "#runtime/logger";

interface SweepRedriveClients {
  readonly streams: DynamoDBStreamsClient;
  readonly parts: Pick<PartSweep, "sweep">;
}

/**
 * Sweeps the candidates of a batch of expired notices whose sweep exhausted its retries. Sweeping twice is harmless.
 *
 * @returns false if a sweep still fails, or the stream no longer has the batch
 */
export async function redriveSweeps(body: string, { streams, parts }: SweepRedriveClients): Promise<boolean> {
  try {
    const notices = await readFailedBatch(streams, FailedBatch.parse(JSON.parse(body)), isExpiredNotice);
    for (const pk of new Set(notices.map(partitionKeyOf))) await parts.sweep(pk);
    return true;
  } catch (error) {
    logger.error("redrive failed", { cause: error });
    return false;
  }
}

/** The batch also contains records that the event source's filter withheld from the function. */
function isExpiredNotice({ eventName, dynamodb }: _Record): boolean {
  return eventName === "REMOVE" && dynamodb?.Keys?.["sk"]?.S?.startsWith(WRITE_PREFIX) === true;
}
