import type { DynamoDBRecord, DynamoDBStreamEvent } from "aws-lambda";
import { expect, test } from "vitest";
import { streamConsumer } from "#runtime/stream-consumer";
import { aLambdaContext } from "../builders/proxy-event.ts";

const event = (...sequenceNumbers: string[]): DynamoDBStreamEvent => ({
  Records: sequenceNumbers.map((SequenceNumber): DynamoDBRecord => ({ dynamodb: { SequenceNumber } })),
});

test("a batch without a failure is done, and all of its records are handed over at once", async () => {
  const batches: unknown[] = [];
  const handler = streamConsumer(async (records) => {
    batches.push(records.map(({ dynamodb }) => dynamodb?.SequenceNumber));
    return undefined;
  });

  await expect(handler(event("1", "2"), aLambdaContext)).resolves.toEqual({ batchItemFailures: [] });

  expect(batches).toEqual([["1", "2"]]);
});

test.each(["2", ""])("the first record that failed is returned to Lambda: %j", async (failed) => {
  const handler = streamConsumer(async () => failed);

  await expect(handler(event("1", "2", "3"), aLambdaContext)).resolves.toEqual({
    batchItemFailures: [{ itemIdentifier: failed }],
  });
});

test("what is thrown fails the whole batch", async () => {
  const handler = streamConsumer(async () => {
    throw new Error("outage");
  });

  await expect(handler(event("1"), aLambdaContext)).rejects.toThrow("outage");
});
