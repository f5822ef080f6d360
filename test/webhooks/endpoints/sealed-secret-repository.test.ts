import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { SealedSecretRepository } from "#webhooks/endpoints/sealed-secret-repository";
import { WebhookEndpointRepository } from "#webhooks/endpoints/webhook-endpoint-repository";
import { aStore, type Store } from "../../candidates/candidate-store.ts";
import { anEndpoint, NOW } from "../builders.ts";

let store: Store;
beforeAll(async () => {
  store = await aStore(inject("dynamoDbEndpoint"));
});
afterAll(() => store?.close());

const secrets = () => new SealedSecretRepository(store.client, store.tableName, () => NOW);
const endpoints = () => new WebhookEndpointRepository(store.client, store.tableName, () => NOW);

test("the sealed secret repository keeps the previous secret for a day, and does a repeated rotation once", async () => {
  const { id } = anEndpoint();
  const registration = {
    url: "https://receiver.example.com/",
    eventTypes: ["candidate.received" as const],
  };
  await endpoints().register("rotated", id, registration, "1.sealed");
  const read = () => endpoints().get("rotated", id);

  await secrets().rotate("rotated", id, "1.second");
  expect(await read()).toMatchObject({
    sealedSecret: "1.second",
    previousSealedSecret: "1.sealed",
    previousSecretExpiresAt: new Date(NOW.getTime() + 24 * 3_600_000).toISOString(),
  });

  await expect(secrets().rotate("rotated", id, "1.second")).resolves.toMatchObject({ id });
  expect(await read()).toMatchObject({ sealedSecret: "1.second", previousSealedSecret: "1.sealed" });

  await secrets().rotate("rotated", id, "1.third");
  expect(await read()).toMatchObject({ sealedSecret: "1.third", previousSealedSecret: "1.second" });
});
