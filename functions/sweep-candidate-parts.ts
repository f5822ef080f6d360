import middy from "@middy/core";
import type { SQSBatchResponse, SQSEvent } from "aws-lambda";
import * as z from "zod/mini";
import { documentClient } from "#aws/dynamodb";
import { readEnvironment, TableName } from "#aws/environment";
import { logger } from "#aws/logger";
import { PartSweep } from "#candidates/part-sweep";
import { parseSweep, SweepQueue } from "#candidates/sweep-queue";

const environment = readEnvironment({ TABLE_NAME: TableName, SWEEP_QUEUE_URL: z.url() });
const sweepQueue = new SweepQueue(environment.SWEEP_QUEUE_URL);
const parts = new PartSweep(documentClient, environment.TABLE_NAME, sweepQueue);

export const handler = middy<SQSEvent, SQSBatchResponse>()
  .before(({ context }) => logger.addContext(context))
  .handler(async ({ Records }) => {
    const batchItemFailures: SQSBatchResponse["batchItemFailures"] = [];
    for (const { messageId, body } of Records) {
      try {
        await parts.sweep(parseSweep(body));
      } catch (error) {
        logger.error("sweep failed", { messageId, cause: error });
        batchItemFailures.push({ itemIdentifier: messageId });
      }
    }
    return { batchItemFailures };
  });
