import type { DynamoDBRecord } from "aws-lambda";
import { partSweepOf } from "#candidates/store/composition";
import { documentClient, type WithTable } from "#runtime/dynamodb";
import { logger } from "#runtime/logger";
import { runtime } from "#runtime/runtime";
import { streamConsumer } from "#runtime/stream-consumer";

export const sweepCandidateParts = (dependencies: WithTable) => {
  const parts = partSweepOf(dependencies);
  return streamConsumer(async (records) => {
    // One sweep serves all notices of a candidate: those in the batch are gone.
    for (const [pk, [first]] of Map.groupBy(records, candidateOf)) {
      try {
        await parts.sweep(pk);
      } catch (error) {
        const sequenceNumber = first?.dynamodb?.SequenceNumber ?? "";
        logger.error("sweep failed", { pk, sequenceNumber, cause: error });
        return sequenceNumber;
      }
    }
    return undefined;
  });
};

export const handler = sweepCandidateParts({ ...runtime, documentClient });

function candidateOf({ dynamodb }: DynamoDBRecord): string {
  return dynamodb?.Keys?.["pk"]?.S ?? "";
}
