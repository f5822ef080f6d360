import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { ConditionalCheckFailedException, DynamoDBClient } from "@aws-sdk/client-dynamodb";
import {
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import { mockClient } from "aws-sdk-client-mock";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { ApiKeyRepository } from "#api-keys/api-key-repository";
import { OrganisationRepository } from "#api-keys/organisation-repository";
import { clientDefaults } from "#runtime/client-defaults";
import type { EnvironmentName } from "#runtime/environment";
import { clientAround } from "../builders/client-around.ts";
import { A_HANDLE_KEY } from "../builders/organisation.ts";
import { SimulatedStore } from "../simulation/simulated-store.ts";

const NOW = new Date("2026-06-01T12:00:00Z");
const LONG_BEFORE = new Date("2026-01-01T00:00:00Z");
const client = DynamoDBDocumentClient.from(new DynamoDBClient({ region: "eu-west-1" }));
const table = mockClient(client);

function repository(environment: EnvironmentName = "development", now = NOW) {
  return new ApiKeyRepository(client, "candidates", environment, () => now);
}

/** Issues a key; from then on the table holds it, changed as told. */
async function issued(expiresAt?: string, changes: object = {}): Promise<string> {
  const { apiKey } = await repository("development", LONG_BEFORE).issue({
    orgId: "acme",
    name: "test",
    ...(expiresAt && { expiresAt }),
  });
  const stored = table.commandCalls(PutCommand).at(-1)?.args[0].input.Item;
  table
    .on(GetCommand, { Key: { pk: stored?.["pk"], sk: stored?.["sk"] } })
    .resolves({ Item: { ...stored, ...changes } });
  return apiKey;
}

beforeEach(() => {
  table.reset();
  table.on(PutCommand).resolves({});
  table.on(GetCommand).resolves({});
  table.on(UpdateCommand).resolves({ Attributes: { handleKey: A_HANDLE_KEY } });
});

describe("an issued API key", () => {
  test("is stored as its hash alone", async () => {
    const { apiKey, keyId } = await repository().issue({ orgId: "acme", name: "test" });

    const stored = JSON.stringify(table.commandCalls(PutCommand)[0]?.args[0].input);
    expect(stored).toContain(keyId);
    expect(stored).not.toContain(apiKey);
    expect(stored).not.toContain(apiKey.slice(7, 39));
  });

  test.each(["2026-06-01T12:00:00Z", "2026-06-01T13:59:59.999+02:00"])(
    "is not stored if it expires now or in the past: %s",
    async (expiresAt) => {
      const issuing = repository().issue({ orgId: "acme", name: "test", expiresAt });

      await expect(issuing).rejects.toThrow("expiresAt: a date-time in the future is expected");
      expect(table.calls()).toHaveLength(0);
    },
  );

  test("has its expiry time in UTC, whatever the offset it was given with", async () => {
    const expiresAt = "2026-06-01T14:00:01+02:00";

    await expect(repository().issue({ orgId: "acme", name: "test", expiresAt })).resolves.toMatchObject({
      expiresAt: "2026-06-01T12:00:01.000Z",
    });
  });

  test.each([
    ["creating its organisation", UpdateCommand],
    ["storing it", PutCommand],
  ])(
    "is valid although the response to %s was lost and the SDK repeated the request",
    async (_what, Lost) => {
      const store = new SimulatedStore();
      const losing = store.losingAResponse((command) => command instanceof Lost);
      const keys = new ApiKeyRepository(losing, store.tableName, "development", store.now);

      const { apiKey } = await keys.issue({ orgId: "acme", newOrganisation: true, name: "test" });

      const { handleKey } = await new OrganisationRepository(store.client, store.tableName, store.now).get(
        "acme",
      );
      await expect(keys.authenticate(apiKey)).resolves.toMatchObject({
        orgId: "acme",
        handleKey: handleKey.export().toString("base64url"),
      });
    },
  );

  test("stays revoked although a repetition of the request that stored it arrives late", async () => {
    const store = new SimulatedStore();
    let repeat = (): Promise<unknown> => Promise.reject(new Error("no key was stored"));
    const client = clientAround(store.client, ({ command }, send) => {
      if (command instanceof PutCommand) repeat = send;
      return send();
    });
    const keys = new ApiKeyRepository(client, store.tableName, "development", store.now);
    const { apiKey, keyId } = await keys.issue({ orgId: "acme", newOrganisation: true, name: "test" });
    await keys.revoke(keyId);

    await expect(repeat()).rejects.toThrow(ConditionalCheckFailedException);

    await expect(keys.authenticate(apiKey)).resolves.toBeUndefined();
  });

  test("yields its organisation and the handle key from a single item read", async () => {
    const apiKey = await issued();
    table.resetHistory();

    await expect(repository().authenticate(apiKey)).resolves.toMatchObject({
      orgId: "acme",
      name: "test",
      handleKey: A_HANDLE_KEY,
    });
    expect(table.calls()).toHaveLength(1);
  });

  test("is valid alongside another key of the same organisation", async () => {
    const keys = [await issued(), await issued()];

    const found = await Promise.all(keys.map((key) => repository().authenticate(key)));

    expect(new Set(found.map((key) => key?.keyId)).size).toBe(2);
  });
});

describe("authentication", () => {
  test.each(["development", "production"] as const)(
    "in %s refuses a key of the other environment without reading the table",
    async (environment) => {
      const other = environment === "development" ? "production" : "development";
      const { apiKey } = await repository(other).issue({ orgId: "acme", name: "test" });
      table.resetHistory();

      await expect(repository(environment).authenticate(apiKey)).resolves.toBeUndefined();
      expect(table.calls()).toHaveLength(0);
    },
  );

  test("refuses a mistyped key without reading the table", async () => {
    const apiKey = await issued();
    table.resetHistory();

    const mistyped = apiKey.replace(/.$/, (last) => (last === "0" ? "1" : "0"));

    await expect(repository().authenticate(mistyped)).resolves.toBeUndefined();
    expect(table.calls()).toHaveLength(0);
  });

  test("refuses a key that was never issued", async () => {
    const { apiKey } = await repository().issue({ orgId: "acme", name: "test" });

    await expect(repository().authenticate(apiKey)).resolves.toBeUndefined();
  });

  test("refuses a revoked key", async () => {
    const apiKey = await issued(undefined, { revokedAt: "2026-05-31T00:00:00.000Z" });

    await expect(repository().authenticate(apiKey)).resolves.toBeUndefined();
  });

  test.each([
    ["2026-06-01T12:00:00Z", NOW],
    ["2026-06-01T14:00:00+02:00", NOW],
    ["2026-06-01T11:59:59.999Z", NOW],
  ])("refuses a key from its expiry time on: %s", async (expiresAt, now) => {
    const apiKey = await issued(expiresAt);

    await expect(repository("development", now).authenticate(apiKey)).resolves.toBeUndefined();
  });

  test.each(["2026-06-01T12:00:00.001Z", "2026-06-01T14:00:01+02:00"])(
    "accepts a key up to its expiry time: %s",
    async (expiresAt) => {
      const apiKey = await issued(expiresAt);

      await expect(repository().authenticate(apiKey)).resolves.toBeDefined();
    },
  );

  test("refuses a key whose id is stored with another key's hash", async () => {
    const apiKey = await issued(undefined, { hash: new Uint8Array(32) });

    await expect(repository().authenticate(apiKey)).resolves.toBeUndefined();
  });
});

describe("the last-used time of an API key", () => {
  const key = { keyId: "key_1", orgId: "acme", name: "test", createdAt: "2026-01-01T00:00:00.000Z" };
  const writes = () => table.commandCalls(UpdateCommand).map(({ args }) => args[0].input);

  beforeEach(() => {
    table.on(UpdateCommand).resolves({});
  });

  test.each([
    ["the first", undefined],
    ["one an hour after the last that was noted", "2026-06-01T11:00:00.000Z"],
  ])("is recorded when it is %s", async (_which, lastUsedAt) => {
    await repository().recordUse({ ...key, ...(lastUsedAt && { lastUsedAt }) });

    expect(writes()).toEqual([
      expect.objectContaining({
        Key: { pk: "KEY#key_1", sk: "KEY" },
        ExpressionAttributeValues: {
          ":lastUsedAt": NOW.toISOString(),
          ":anHourAgo": "2026-06-01T11:00:00.000Z",
        },
      }),
    ]);
  });

  test("is not written again within the hour", async () => {
    await repository().recordUse({ ...key, lastUsedAt: "2026-06-01T11:00:00.001Z" });

    expect(writes()).toEqual([]);
  });

  test("is not recorded for a key that does not exist, of which it would make a part", async () => {
    const store = new SimulatedStore();
    const keys = new ApiKeyRepository(store.client, store.tableName, "development", store.now);

    await keys.recordUse(key);

    const Key = { pk: "KEY#key_1", sk: "KEY" };
    expect(await store.client.send(new GetCommand({ TableName: store.tableName, Key }))).not.toHaveProperty(
      "Item",
    );
  });

  test("is not overwritten if another process recorded it first", async () => {
    table.on(UpdateCommand).rejects(new ConditionalCheckFailedException({ message: "", $metadata: {} }));

    await expect(repository().recordUse(key)).resolves.toBeUndefined();
  });
});

test("recording the use of an API key ends after two seconds if the table does not respond", async () => {
  const silent = createServer().listen(0, "127.0.0.1");
  await once(silent, "listening");
  onTestFinished(() => void silent.close());
  const unresponsive = new DynamoDBClient({
    ...clientDefaults,
    endpoint: `http://127.0.0.1:${(silent.address() as AddressInfo).port}`,
    region: "eu-west-1",
    credentials: { accessKeyId: "id", secretAccessKey: "secret" },
  });
  const keys = new ApiKeyRepository(
    DynamoDBDocumentClient.from(unresponsive),
    "candidates",
    "production",
    () => NOW,
  );
  const key = { keyId: "1", orgId: "acme", name: "test", createdAt: "2026-01-01T00:00:00.000Z" };

  await expect(keys.recordUse(key)).rejects.toMatchObject({ name: "AbortError" });
});

test("the keys of an organisation are listed to the last page", async () => {
  const key = { keyId: "key_1", orgId: "acme", name: "test", createdAt: "2026-01-01T00:00:00.000Z" };
  table
    .on(QueryCommand)
    .resolvesOnce({ Items: [key], LastEvaluatedKey: { pk: "KEY#key_1" } })
    .resolves({ Items: [{ ...key, keyId: "key_2" }] });

  expect((await repository().list("acme")).map(({ keyId }) => keyId)).toEqual(["key_1", "key_2"]);
});
