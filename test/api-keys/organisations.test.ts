import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { ApiKeyRepository } from "#api-keys/api-key-repository";
import { OrganisationRepository } from "#api-keys/organisation-repository";
import { runtime } from "#runtime/runtime";
import { aStore, type Store } from "../candidates/candidate-store.ts";

const MANY = 20;

let store: Store;
beforeAll(async () => {
  store = await aStore(inject("dynamoDbEndpoint"));
});
afterAll(() => store?.close());

let serial = 0;
const anOrgId = () => `org-${serial++}`;

const apiKeys = () => new ApiKeyRepository(store.client, store.tableName, "development", runtime.now);
const organisations = () => new OrganisationRepository(store.client, store.tableName, runtime.now);
const issue = (orgId: string, newOrganisation = false) =>
  apiKeys().issue({ orgId, newOrganisation, name: "test" });

const aHandleKey = /^[A-Za-z0-9_-]{43}$/;

const organisationItem = (orgId: string) => itemOf(`ORGANISATION#${orgId}`, "ORGANISATION");

/** The handle key of each of an organisation's key items. */
async function handleKeysOf(orgId: string): Promise<unknown[]> {
  const keys = await apiKeys().list(orgId);
  const items = await Promise.all(keys.map(({ keyId }) => itemOf(`KEY#${keyId}`, "KEY")));
  return items.map((item) => item?.["handleKey"]);
}

async function itemOf(pk: string, sk: string) {
  const { Item } = await store.client.send(
    new GetCommand({ TableName: store.tableName, Key: { pk, sk }, ConsistentRead: true }),
  );
  return Item;
}

describe("concurrent first API keys", () => {
  test("create their organisation once; the rest are refused, and later keys share its handle key", async () => {
    const orgId = anOrgId();

    const firsts = await Promise.allSettled(Array.from({ length: MANY }, () => issue(orgId, true)));
    const nexts = await Promise.all(Array.from({ length: MANY }, () => issue(orgId)));

    expect(firsts.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    for (const first of firsts) {
      if (first.status === "rejected") expect(first.reason).toMatchObject({ code: "invalid_request" });
    }
    const handleKeys = await handleKeysOf(orgId);
    expect(handleKeys).toHaveLength(1 + nexts.length);
    expect(new Set(handleKeys)).toEqual(new Set([(await organisationItem(orgId))?.["handleKey"]]));
    expect(handleKeys[0]).toMatch(aHandleKey);
  });

  test("share one handle key with keys issued to the organisation as an existing one", async () => {
    const orgId = anOrgId();

    const issuing = Array.from({ length: MANY }, (_, index) => issue(orgId, index % 2 === 0));
    const issued = (await Promise.allSettled(issuing)).filter(({ status }) => status === "fulfilled");

    const handleKeys = await handleKeysOf(orgId);
    expect(handleKeys).toHaveLength(issued.length);
    expect(issued).not.toHaveLength(0);
    expect(new Set(handleKeys)).toEqual(new Set([(await organisationItem(orgId))?.["handleKey"]]));
  });
});

describe("an organisation", () => {
  test("has a handle key of its own", async () => {
    const [acme, globex] = [anOrgId(), anOrgId()];
    await Promise.all([issue(acme, true), issue(globex, true)]);

    expect(await handleKeysOf(acme)).not.toEqual(await handleKeysOf(globex));
  });

  test("keeps its handle key when its last API key is revoked", async () => {
    const orgId = anOrgId();
    const { keyId } = await issue(orgId, true);
    const [before] = await handleKeysOf(orgId);

    await apiKeys().revoke(keyId);
    const next = await issue(orgId);

    expect(new Set(await handleKeysOf(orgId))).toEqual(new Set([before]));
    await expect(apiKeys().authenticate(next.apiKey)).resolves.toMatchObject({ handleKey: before });
  });

  test("is read with its handle key, which it neither prints nor serialises", async () => {
    const orgId = anOrgId();
    await issue(orgId, true);
    const [encoded] = await handleKeysOf(orgId);

    const organisation = await organisations().get(orgId);

    expect(organisation.handleKey.export().toString("base64url")).toBe(encoded);
    expect(JSON.stringify(organisation)).toBe(JSON.stringify({ orgId, handleKey: {} }));
  });

  test("that does not exist is not found, and not created by a key without the flag for a new one", async () => {
    const orgId = anOrgId();

    await expect(issue(orgId)).rejects.toMatchObject({
      code: "not_found",
      message: `There is no organisation ${orgId}. Check its id, or set newOrganisation to create it with its first key.`,
    });
    await expect(organisations().get(orgId)).rejects.toMatchObject({ code: "not_found" });
    expect(await organisationItem(orgId)).toBeUndefined();
    expect(await handleKeysOf(orgId)).toEqual([]);
  });

  test("that exists refuses a key issued as the first of a new organisation", async () => {
    const orgId = anOrgId();
    await issue(orgId, true);

    await expect(issue(orgId, true)).rejects.toMatchObject({
      code: "invalid_request",
      message: `newOrganisation: the organisation ${orgId} already exists. Omit newOrganisation to create another key for it, or choose another id.`,
    });
    expect(await handleKeysOf(orgId)).toHaveLength(1);
  });
});

test("issuing and listing API keys returns no handle key", async () => {
  const orgId = anOrgId();
  const issued = await issue(orgId, true);
  const [handleKey] = await handleKeysOf(orgId);

  const outputs = JSON.stringify([issued, await apiKeys().list(orgId)]);

  expect(outputs).toContain(issued.keyId);
  expect(outputs).not.toContain(handleKey);
  expect(outputs).not.toContain("handleKey");
});
