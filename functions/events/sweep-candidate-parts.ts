import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from "aws-lambda";
import { PartSweep } from "#candidates/store/large/part-sweep";
import { documentClient, type WithTable } from "#runtime/dynamodb";
import { readEnvironment, TableName } from "#runtime/environment";
import { lambdaHandler } from "#runtime/lambda-handler";
import { logger } from "#runtime/logger";
import { runtime } from "#runtime/runtime";

export const sweepCandidateParts = ({ documentClient, variables }: WithTable) => {
  const environment = readEnvironment({ TABLE_NAME: TableName }, variables);
  const parts = new PartSweep(documentClient, environment.TABLE_NAME);
  return lambdaHandler<DynamoDBStreamEvent, DynamoDBBatchResponse>()
    .before(({ context }) => logger.addContext(context))
    .handler(async ({ Records }) => {
      for (const { dynamodb } of Records) {
        const pk = dynamodb?.Keys?.["pk"]?.S ?? "";
        try {
          await parts.sweep(pk);
        } catch (error) {
          const itemIdentifier = dynamodb?.SequenceNumber ?? "";
          logger.error("sweep failed", { pk, sequenceNumber: itemIdentifier, cause: error });
          return { batchItemFailures: [{ itemIdentifier }] };
        }
      }
      return { batchItemFailures: [] };
    });
};

export const handler = sweepCandidateParts({ ...runtime, documentClient });
