import { SQSClient } from "@aws-sdk/client-sqs";
import { DynamoDBDocumentClient, QueryCommand } from "@aws-sdk/lib-dynamodb";
import { beforeEach, expect, test } from "vitest";
import { deliveryRecordKey } from "#webhooks/delivery/delivery-record-key";
import { handler } from "../../../functions/platform/inspect-deliveries.ts";
import { capturedLogs } from "../../builders/captured-logs.ts";
import { mockedClient } from "../../builders/mocked-client.ts";
import { aLambdaContext } from "../../builders/proxy-event.ts";
import { aDelivery } from "../builders.ts";

const table = mockedClient(DynamoDBDocumentClient);
const sqs = mockedClient(SQSClient);
capturedLogs();

beforeEach(() => {
  for (const client of [table, sqs]) client.reset();
});

test.each([
  { orgId: "acme", endpointId: `whe_${"0".repeat(26)}`, limit: 101 },
  { orgId: "acme", endpointId: `whe_${"0".repeat(26)}`, unheard: "of" },
])("inspect-deliveries refuses an invalid input: %j", async (input) => {
  await expect(handler(input, aLambdaContext)).rejects.toMatchObject({ name: "invalid_request" });
  expect([...table.calls(), ...sqs.calls()]).toHaveLength(0);
});

test("inspect-deliveries lists nothing of another organisation's endpoint", async () => {
  const { endpointId, eventId, eventType } = aDelivery();
  const Item = {
    ...deliveryRecordKey(endpointId, eventId),
    ...{ orgId: "acme", endpointId, eventId, eventType, status: "delivered", attempts: [] },
  };
  table.on(QueryCommand).resolves({ Items: [] });
  table
    .on(QueryCommand, { ExpressionAttributeValues: { ":pk": Item.pk, ":delivery": "DELIVERY#" } })
    .resolves({ Items: [Item] });

  await expect(handler({ orgId: "acme", endpointId }, aLambdaContext)).resolves.toMatchObject({
    data: [{ eventId }],
  });
  await expect(handler({ orgId: "globex", endpointId }, aLambdaContext)).resolves.toEqual({ data: [] });
});

test("inspect-deliveries lists as many as its limit, after the last event of the previous page", async () => {
  const { endpointId } = aDelivery();
  const after = `evt_${"5".repeat(26)}`;
  table.on(QueryCommand).callsFake(({ ExpressionAttributeValues }) => ({
    Items: ["1", "2"].map((number) => ({
      orgId: "acme",
      endpointId,
      eventId: `evt_${number}`,
      status: "delivered",
      attempts: [],
      eventType: "candidate.received",
      pk: ExpressionAttributeValues[":pk"],
    })),
  }));

  const { data } = await handler({ orgId: "acme", endpointId, limit: 1, after }, aLambdaContext);

  expect(data).toHaveLength(1);
  for (const { args } of table.commandCalls(QueryCommand)) {
    expect(args[0].input.ExclusiveStartKey?.["sk"]).toBe(`DELIVERY#${after}`);
  }
});
