import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from "aws-lambda";
import { documentClient, type WithTable } from "#aws/dynamodb";
import { readEnvironment, TableName } from "#aws/environment";
import { lambdaHandler } from "#aws/lambda-handler";
import { logger } from "#aws/logger";
import { runtime } from "#aws/runtime";
import { PartSweep } from "#candidates/part-sweep";

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
