import { DynamoDBDocumentClient, QueryCommand } from "@aws-sdk/lib-dynamodb";
import type { DynamoDBStreamEvent } from "aws-lambda";
import { expect, test } from "vitest";
import { handler } from "../../../../functions/events/sweep-candidate-parts.ts";
import { capturedLogs } from "../../../builders/captured-logs.ts";
import { mockedClient } from "../../../builders/mocked-client.ts";
import { aLambdaContext } from "../../../builders/proxy-event.ts";

const table = mockedClient(DynamoDBDocumentClient);
const logs = capturedLogs();

const removed = (SequenceNumber: string, pk: string) => ({
  eventName: "REMOVE",
  dynamodb: { SequenceNumber, Keys: { pk: { S: pk }, sk: { S: `WRITE#${SequenceNumber}` } } },
});

test("a batch sweeps each candidate once, however many of its notices have expired", async () => {
  table.reset();
  table.on(QueryCommand).resolves({ Items: [] });
  const Records = ["a", "b", "a", "a"].map((name, index) => removed(`${index}`, `CANDIDATE#${name}`));

  const response = await handler({ Records } as DynamoDBStreamEvent, aLambdaContext);

  expect(response).toEqual({ batchItemFailures: [] });
  const swept = table
    .commandCalls(QueryCommand)
    .map(({ args: [{ input }] }) => input.ExpressionAttributeValues?.[":pk"]);
  expect(swept).toEqual([...new Set(swept)]);
  expect(new Set(swept)).toEqual(new Set(["CANDIDATE#a", "CANDIDATE#b"]));
});

test("a sweep that fails is logged with its candidate's key, and received again with all that follow it", async () => {
  table.reset();
  table.on(QueryCommand).resolves({ Items: [] });
  table
    .on(QueryCommand, { ExpressionAttributeValues: { ":pk": "CANDIDATE#b" } }, false)
    .rejects(new Error("outage"));
  const Records = [removed("1", "CANDIDATE#a"), removed("2", "CANDIDATE#b"), removed("3", "CANDIDATE#c")];

  const response = await handler({ Records } as DynamoDBStreamEvent, aLambdaContext);

  expect(response).toEqual({ batchItemFailures: [{ itemIdentifier: "2" }] });
  expect(logs.lines().map((line) => JSON.parse(line))).toMatchObject([
    {
      level: "ERROR",
      message: "sweep failed",
      pk: "CANDIDATE#b",
      sequenceNumber: "2",
      cause: { message: "outage" },
    },
  ]);
});
