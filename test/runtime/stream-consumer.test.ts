import type { DynamoDBRecord, DynamoDBStreamEvent } from "aws-lambda";
import { expect, test } from "vitest";
import { streamConsumer } from "#runtime/stream-consumer";
import { aLambdaContext } from "../builders/proxy-event.ts";

const event = (...sequenceNumbers: string[]): DynamoDBStreamEvent => ({
  Records: sequenceNumbers.map((SequenceNumber): DynamoDBRecord => ({ dynamodb: { SequenceNumber } })),
});

test("a stream batch is handled as a whole and reports no failure if none occurs", async () => {
  const batches: unknown[] = [];
  const handler = streamConsumer(async (records) => {
    batches.push(records.map(({ dynamodb }) => dynamodb?.SequenceNumber));
    return undefined;
  });

  await expect(handler(event("1", "2"), aLambdaContext)).resolves.toEqual({ batchItemFailures: [] });

  expect(batches).toEqual([["1", "2"]]);
});

test.each(["2", ""])(
  "the first failed record of a stream batch is reported to Lambda: %j",
  async (failed) => {
    const handler = streamConsumer(async () => failed);

    await expect(handler(event("1", "2", "3"), aLambdaContext)).resolves.toEqual({
      batchItemFailures: [{ itemIdentifier: failed }],
    });
  },
);

test("an exception fails the whole stream batch", async () => {
  const handler = streamConsumer(async () => {
    throw new Error("outage");
  });

  await expect(handler(event("1"), aLambdaContext)).rejects.toThrow("outage");
});
