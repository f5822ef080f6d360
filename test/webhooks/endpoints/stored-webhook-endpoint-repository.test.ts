import { DynamoDBClient, TransactionConflictException } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient, GetCommand, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { mockClient } from "aws-sdk-client-mock";
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test, vi } from "vitest";
import { runtime } from "#runtime/runtime";
import { WebhookEndpointRepository } from "#webhooks/endpoints/webhook-endpoint-repository";
import { aStore, type Store } from "../../candidates/candidate-store.ts";
import { anEndpoint, NOW } from "../builders.ts";

let store: Store;
beforeAll(async () => {
  store = await aStore(inject("dynamoDbEndpoint"));
});
afterAll(() => store?.close());

const endpoints = () => new WebhookEndpointRepository(store.client, store.tableName, () => NOW);

describe("the webhook endpoint repository", () => {
  const registration = {
    url: "https://receiver.example.com/",
    eventTypes: ["candidate.received" as const],
  };
  const register = (orgId: string) => {
    const { id } = anEndpoint();
    return endpoints().register(orgId, id, registration, "1.sealed");
  };

  test("lists an organisation's endpoints oldest first, and no other's", async () => {
    const registered = [];
    for (let count = 0; count < 5; count++) {
      registered.push(await register("listed"));
      // Ids sort by the millisecond.
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    await register("unlisted");

    const listed = await endpoints().list("listed");

    expect(listed.map(({ id }) => id)).toEqual(registered.map(({ id }) => id));
  });

  test("accepts fifty endpoints and refuses more; a deletion makes room for one", async () => {
    const first = await register("full");
    for (let count = 1; count < 50; count++) await register("full");

    await expect(register("full")).rejects.toMatchObject({
      code: "invalid_request",
      message: expect.stringContaining("50"),
    });
    const deletions = await Promise.allSettled(
      Array.from({ length: 3 }, () => endpoints().delete("full", first.id)),
    );
    expect(deletions.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    await expect(endpoints().delete("full", first.id)).rejects.toMatchObject({ code: "not_found" });

    const registrations = await Promise.allSettled(Array.from({ length: 5 }, () => register("full")));
    expect(registrations.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    await expect(endpoints().list("full")).resolves.toHaveLength(50);
  });

  test.each(["", "whe_", "whe_1", "staged_x", `whe_${"u".repeat(26)}`, `${anEndpoint().id}#x`])(
    "finds no endpoint by a malformed id: %j",
    async (id) => {
      await expect(endpoints().find("acme", id)).resolves.toBeUndefined();
      await expect(endpoints().get("acme", id)).rejects.toMatchObject({ code: "not_found" });
      await expect(endpoints().delete("acme", id)).rejects.toMatchObject({ code: "not_found" });
    },
  );

  test("finds an endpoint only in its own organisation", async () => {
    const { id } = await register("owner");

    await expect(endpoints().get("owner", id)).resolves.toMatchObject({ id, active: true });
    await expect(endpoints().get("other", id)).rejects.toMatchObject({ code: "not_found" });
    await expect(endpoints().delete("other", id)).rejects.toMatchObject({ code: "not_found" });
    await expect(endpoints().find("owner", id)).resolves.toBeDefined();
  });

  test("retries a change during a transaction, and finally fails with a temporary error", async () => {
    const client = DynamoDBDocumentClient.from(new DynamoDBClient({ region: "eu-west-1" }));
    const { id } = anEndpoint();
    const conflict = new TransactionConflictException({ message: "conflict", $metadata: {} });
    const repository = new WebhookEndpointRepository(client, "t", runtime.now);
    const table = mockClient(client);

    table.on(TransactWriteCommand).rejectsOnce(conflict).resolves({});
    table.on(GetCommand).resolves({ Item: anEndpoint({ id }) });
    await expect(repository.update("acme", id, { active: true })).resolves.toMatchObject({ id });
    const tokens = table
      .commandCalls(TransactWriteCommand)
      .map(({ args }) => args[0].input.ClientRequestToken);
    // With another token, an attempt of the first request that arrives late would be performed as well.
    expect(tokens).toEqual([expect.any(String), tokens[0]]);

    table.reset();
    table.on(TransactWriteCommand).rejects(conflict);
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const refused = expect(repository.update("acme", id, { active: true })).rejects.toMatchObject({
      code: "service_unavailable",
      cause: conflict,
    });
    await vi.runAllTimersAsync();
    await refused;
  });
});
