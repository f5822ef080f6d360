import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from "aws-lambda";
import { lambdaHandler } from "#runtime/lambda-handler";

/**
 * The handler of a function that consumes the table's stream.
 *
 * @param run handles a batch. It logs failures and returns the sequence number of the first record that failed, if any.
 *   Lambda retries that record and all that follow it.
 */
export function streamConsumer(run: (records: readonly DynamoDBRecord[]) => Promise<string | undefined>) {
  return lambdaHandler<DynamoDBStreamEvent, DynamoDBBatchResponse>().handler(async ({ Records }) => {
    const itemIdentifier = await run(Records);
    return { batchItemFailures: itemIdentifier === undefined ? [] : [{ itemIdentifier }] };
  });
}
