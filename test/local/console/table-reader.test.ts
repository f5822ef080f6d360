import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { expect, test } from "vitest";
import { emptyBoard } from "../../../local/console/board.ts";
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
