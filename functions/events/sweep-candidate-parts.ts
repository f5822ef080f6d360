import { partSweepOf } from "#candidates/store/composition";
import { documentClient, type WithTable } from "#runtime/dynamodb";
import { logger } from "#runtime/logger";
import { runtime } from "#runtime/runtime";
import { streamConsumer } from "#runtime/stream-consumer";

export const sweepCandidateParts = (dependencies: WithTable) => {
  const parts = partSweepOf(dependencies);
  return streamConsumer(async (records) => {
    for (const { dynamodb } of records) {
      const pk = dynamodb?.Keys?.["pk"]?.S ?? "";
      const sequenceNumber = dynamodb?.SequenceNumber ?? "";
      try {
        await parts.sweep(pk);
      } catch (error) {
        logger.error("sweep failed", { pk, sequenceNumber, cause: error });
        return sequenceNumber;
      }
    }
    return undefined;
  });
};

export const handler = sweepCandidateParts({ ...runtime, documentClient });
