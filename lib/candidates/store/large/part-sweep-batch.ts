import type { _Record } from "@aws-sdk/client-dynamodb-streams";
import type { DynamoDBRecord } from "aws-lambda";
import type { PartSweep } from "#candidates/store/large/part-sweep";
import { logger } from "#runtime/logger";

/**
 * Sweeps the candidates of a batch of expired notices. One sweep serves all notices of a candidate: those in the batch
 * are gone.
 *
 * @returns the sequence number of the first record whose sweep failed, if any
 */
export async function sweepBatch(
  notices: readonly DynamoDBRecord[],
  parts: Pick<PartSweep, "sweep">,
): Promise<string | undefined> {
  for (const [pk, [first]] of Map.groupBy(notices, partitionKeyOf)) {
    try {
      await parts.sweep(pk);
    } catch (error) {
      const sequenceNumber = first?.dynamodb?.SequenceNumber ?? "";
      logger.error("sweep failed", { pk, sequenceNumber, cause: error });
      return sequenceNumber;
    }
  }
  return undefined;
}

/** The candidate of a notice. */
export function partitionKeyOf({ dynamodb }: DynamoDBRecord | _Record): string {
  return dynamodb?.Keys?.["pk"]?.S ?? "";
}
