import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { expect, test } from "vitest";
import { deliveryRecordKey } from "#webhooks/delivery/delivery-record-key";
import { deliveryKeyOf, emptyBoard } from "../../../local/console/board.ts";
import { KnownSecrets } from "../../../local/console/known-secrets.ts";
import { TableReader } from "../../../local/console/table-reader.ts";

test("the console knows an organisation that has no data, stored before or created later", async () => {
  const board = emptyBoard(() => {});
  const secrets = new KnownSecrets("/no/such/file");
  const table = new TableReader({ board, secrets, onFault: (fault) => expect.unreachable(String(fault)) });
  const keysOf = (orgId: string) => ({ pk: { S: `ORGANISATION#${orgId}` }, sk: { S: "ORGANISATION" } });
  const client = new DynamoDBClient({ region: "local" });
  client.send = async () => ({ Items: [keysOf("acme")] });

  await table.read(client, "table");
  table.follow({ dynamodb: { Keys: keysOf("umbrella"), NewImage: keysOf("umbrella") } } as never);

  expect([...board.organisations.values()]).toEqual([{ key: "acme" }, { key: "umbrella" }]);
});

test("what changes while the console reads the table is shown as it is, not as it was read", async () => {
  const board = emptyBoard(() => {});
  const secrets = new KnownSecrets("/no/such/file");
  const table = new TableReader({ board, secrets, onFault: (fault) => expect.unreachable(String(fault)) });
  const keysOf = (id: string) => ({ pk: { S: "ENDPOINTS#acme" }, sk: { S: `ENDPOINT#${id}` } });
  const endpoint = (id: string, url: string) => ({
    ...{ ...keysOf(id), id: { S: id }, url: { S: url }, active: { BOOL: true } },
    ...{ eventTypes: { L: [{ S: "candidate.received" }] }, description: { NULL: true } },
  });
  const before = "https://example.com/before";
  const after = "https://example.com/after";
  const client = new DynamoDBClient({ region: "local" });
  client.send = async () => {
    table.follow({ dynamodb: { Keys: keysOf("whe_1"), NewImage: endpoint("whe_1", after) } } as never);
    table.follow({ dynamodb: { Keys: keysOf("whe_2") } } as never);
    return { Items: ["whe_1", "whe_2", "whe_3"].map((id) => endpoint(id, before)) };
  };

  await table.read(client, "table");

  expect([...board.endpoints.values()].map(({ key, url }) => [key, url])).toEqual([
    ["whe_1", after],
    ["whe_3", before],
  ]);
});

test("a delivery that the table has deleted is not shown any more", async () => {
  const board = emptyBoard(() => {});
  const secrets = new KnownSecrets("/no/such/file");
  const table = new TableReader({ board, secrets, onFault: (fault) => expect.unreachable(String(fault)) });
  const client = new DynamoDBClient({ region: "local" });
  client.send = async () => ({ Items: [] });
  await table.read(client, "table");
  for (const eventId of ["evt_1", "evt_2"]) {
    board.deliveries.put({
      ...{ key: deliveryKeyOf("whe_1", eventId), orgId: "acme", endpointId: "whe_1", eventId, attempts: [] },
      ...{ eventType: "candidate.received", status: "pending", nextAttemptAt: null, sample: false },
    });
  }

  const { pk, sk } = deliveryRecordKey("whe_1", "evt_1");
  table.follow({ dynamodb: { Keys: { pk: { S: pk }, sk: { S: sk } } } } as never);

  expect([...board.deliveries.values()].map(({ eventId }) => eventId)).toEqual(["evt_2"]);
});
