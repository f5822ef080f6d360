import { expect, test } from "vitest";
import { ApiKeyRepository } from "#api-keys/api-key-repository";
import { OrganisationRepository } from "#api-keys/organisation-repository";
import { SimulatedStore } from "../simulation/simulated-store.ts";

test("an issued key is accepted at once, and a revoked one refused", async () => {
  // An eventually consistent read returns the oldest state that it may.
  const store = new SimulatedStore();
  store.staleness = 0.999;
  const keys = new ApiKeyRepository(store.client, store.tableName, "development", store.now);

  const { apiKey, keyId } = await keys.issue({ orgId: "acme", newOrganisation: true, name: "test" });
  const issued = await keys.authenticate(apiKey);
  await keys.revoke(keyId);
  const revoked = await keys.authenticate(apiKey);

  expect([issued?.keyId, revoked]).toEqual([keyId, undefined]);
});

test("a new organisation is found at once", async () => {
  const store = new SimulatedStore();
  store.staleness = 0.999;
  const organisations = new OrganisationRepository(store.client, store.tableName, store.now);

  await organisations.handleKeyFor({ orgId: "acme", newOrganisation: true });

  expect(await organisations.get("acme")).toMatchObject({ orgId: "acme" });
});
