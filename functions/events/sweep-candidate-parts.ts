import { PartSweep } from "#candidates/store/large/part-sweep";
import { documentClient, type WithTable } from "#runtime/dynamodb";
import { readEnvironment, TableName } from "#runtime/environment";
import { logger } from "#runtime/logger";
import { runtime } from "#runtime/runtime";
import { streamConsumer } from "#runtime/stream-consumer";

export const sweepCandidateParts = ({ documentClient, variables }: WithTable) => {
  const environment = readEnvironment({ TABLE_NAME: TableName }, variables);
  const parts = new PartSweep(documentClient, environment.TABLE_NAME);
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
