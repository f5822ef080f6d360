import { DynamoDBDocumentClient, QueryCommand } from "@aws-sdk/lib-dynamodb";
import type { DynamoDBStreamEvent } from "aws-lambda";
import { mockClient } from "aws-sdk-client-mock";
import { afterAll, expect, test, vi } from "vitest";
import { handler } from "../../../../functions/events/sweep-candidate-parts.ts";
import { capturedLogs } from "../../../builders/captured-logs.ts";
import { aLambdaContext } from "../../../builders/proxy-event.ts";

vi.hoisted(() => {
  vi.stubEnv("TABLE_NAME", "candidates");
});
afterAll(() => {
  vi.unstubAllEnvs();
});

const table = mockClient(DynamoDBDocumentClient);
const logs = capturedLogs();

test("a sweep that fails is logged with its candidate's key, and received again with all that follow it", async () => {
  const removed = (SequenceNumber: string, pk: string) => ({
    eventName: "REMOVE",
    dynamodb: { SequenceNumber, Keys: { pk: { S: pk }, sk: { S: "WRITE#1" } } },
  });
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
