import { randomUUID } from "node:crypto";
import { TransactionCanceledException, TransactionConflictException } from "@aws-sdk/client-dynamodb";
import {
  type DynamoDBDocumentClient,
  TransactWriteCommand,
  type TransactWriteCommandInput,
} from "@aws-sdk/lib-dynamodb";
import pRetry from "p-retry";
import { ServiceUnavailable } from "#contract/errors";

/** The most retries of a write that conflicts with others. */
const CONFLICTS = 8;

/**
 * Repeats a write that conflicts with a transaction on the same item, and a transaction that DynamoDB throttles, which
 * the SDK does not repeat.
 *
 * @throws ServiceUnavailable if it conflicts or is throttled too often
 */
export async function untilNoConflict<Output>(write: () => Promise<Output>): Promise<Output> {
  try {
    return await pRetry(write, {
      retries: CONFLICTS,
      minTimeout: 20,
      maxTimeout: 500,
      randomize: true,
      shouldRetry: ({ error }) => isConflict(error),
    });
  } catch (error) {
    throw isConflict(error) ? new ServiceUnavailable({ cause: error }) : error;
  }
}

/**
 * Makes several writes or none of them.
 *
 * @param expected the indexes of the writes whose condition may not hold
 * @returns whether they were made: false if the condition of an expected one did not hold
 * @throws ServiceUnavailable as {@link untilNoConflict} does
 */
export async function transact(
  client: DynamoDBDocumentClient,
  items: TransactWriteCommandInput["TransactItems"],
  expected: readonly number[] = [0],
): Promise<boolean> {
  // One request for DynamoDB, however often it is sent. The SDK adds a token for its own retries only: if one of them
  // conflicted and the transaction was sent again, an earlier one could still arrive, and repeat it after later
  // changes.
  const command = new TransactWriteCommand({ ClientRequestToken: randomUUID(), TransactItems: items });
  try {
    await untilNoConflict(() => client.send(command));
    return true;
  } catch (error) {
    if (expected.some((item) => isRefused(error, item))) return false;
    throw error;
  }
}

/** Whether a transaction was cancelled by the condition of one of its items. */
function isRefused(error: unknown, item: number): boolean {
  return (
    error instanceof TransactionCanceledException &&
    error.CancellationReasons?.[item]?.Code === "ConditionalCheckFailed"
  );
}

/**
 * The reasons for which a cancelled transaction can succeed later (Amazon DynamoDB API, TransactWriteItems, "Errors").
 */
const PASSING: readonly (string | undefined)[] = [
  "TransactionConflict",
  "ThrottlingError",
  "ProvisionedThroughputExceeded",
];

function isConflict(error: unknown): boolean {
  if (error instanceof TransactionConflictException) return true;
  return (
    error instanceof TransactionCanceledException &&
    error.CancellationReasons?.some(({ Code }) => PASSING.includes(Code)) === true
  );
}
