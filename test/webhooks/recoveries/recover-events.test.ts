import { InternalServerError } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient, GetCommand } from "@aws-sdk/lib-dynamodb";
import type { SQSEvent } from "aws-lambda";
import { beforeEach, describe, expect, test } from "vitest";
import { newEndpointId, newRecoveryId } from "#contract/identifiers";
import { runtime } from "#runtime/runtime";
import { handler } from "../../../functions/events/recover-events.ts";
import { capturedLogs } from "../../builders/captured-logs.ts";
import { mockedClient } from "../../builders/mocked-client.ts";
import { aLambdaContext } from "../../builders/proxy-event.ts";

const table = mockedClient(DynamoDBDocumentClient);
capturedLogs();

beforeEach(() => {
  table.reset();
  table.on(GetCommand).resolves({});
});

describe("recover-events", () => {
  const ids = { orgId: "acme", endpointId: newEndpointId(runtime), recoveryId: newRecoveryId(runtime) };
  const message = {
    messageId: "message-1",
    body: JSON.stringify(ids),
    attributes: { ApproximateReceiveCount: "1", SentTimestamp: "0" },
  };
  const recover = async () => handler({ Records: [message] } as SQSEvent, aLambdaContext);

  test("fails the invocation, which its alarm counts, on a DynamoDB error", async () => {
    const outage = new InternalServerError({ message: "outage", $metadata: { httpStatusCode: 500 } });
    table.on(GetCommand).rejects(outage);
    await expect(recover()).rejects.toBe(outage);
  });

  test("keeps the message of a recovery that has not ended, which the next run continues", async () => {
    const now = new Date().toISOString();
    const recovery = {
      id: ids.recoveryId,
      orgId: ids.orgId,
      endpointId: ids.endpointId,
      status: "running",
      found: 0,
      sent: 0,
      since: now,
      until: now,
      eventTypes: ["candidate.received"],
      startedAt: now,
      position: now,
      eventsRead: 0,
      progressAt: now,
      receives: 0,
      // Its deliveries so far are due for another hour.
      pacedUntil: new Date(Date.now() + 60 * 60_000).toISOString(),
    };
    table.on(GetCommand).resolves({ Item: recovery });
    await expect(recover()).resolves.toEqual({ batchItemFailures: [{ itemIdentifier: "message-1" }] });
  });

  test("removes the message of a recovery that has ended", async () => {
    await expect(recover()).resolves.toEqual({ batchItemFailures: [] });
  });
});
