import { describe, expect, type TestContext, test } from "vitest";
import type { OperationDefinition } from "#contract/operation-definition";
import { type OperationId, operations } from "#contract/operations";
import { anExternalId, aSubmission } from "../builders/submission.ts";
import { type Caller, received } from "./client.ts";
import { JSON_TYPE } from "./messages.ts";
import { anOrganisation } from "./platform.ts";
import { aSubscriber } from "./webhook-client.ts";

// Tables for all operations, so that a new one is held to this too.

const rows: readonly OperationDefinition[] = operations;
const onOne = rows.filter(({ path }) => path.includes("{id}"));

type Owner = Awaited<ReturnType<typeof anOwner>>;

/** An organisation with an endpoint and a candidate. */
async function anOwner({ onTestFinished }: TestContext) {
  const since = new Date().toISOString();
  const externalId = anExternalId();
  const subscriber = await aSubscriber({ onTestFinished });
  const stagedId = await received(subscriber.caller, aSubmission({ externalId }));
  return { ...subscriber, since, externalId, stagedId };
}

/** The values of path parameters other than `id`, by name. */
const PARAMETERS: Readonly<Record<string, (owner: Owner) => Promise<string>>> = {
  async eventId({ receiver, endpoints, endpointId }) {
    const [first] = await receiver.waitFor(1);
    await expect.poll(async () => (await endpoints.deliveries(endpointId)).body["data"]).toHaveLength(1);
    return String(first?.event.id);
  },
  async recoveryId({ endpoints, endpointId, since }) {
    return String((await endpoints.recover(endpointId, { since })).body["id"]);
  },
  transition: async () => "verify",
};

/** The bodies of the operations that require one. */
const BODIES: Partial<Record<OperationId, (owner: Owner) => object>> = {
  amendCandidate: () => ({}),
  requestErasure: ({ externalId }) => ({ externalId }),
  updateWebhookEndpoint: () => ({ active: true }),
  startRecovery: ({ since }) => ({ since }),
};

/** The operation on the owner's candidate or endpoint, as any caller may call it. */
async function callOn(owner: Owner, { operationId, method, path }: OperationDefinition) {
  let filled = path.replace(
    "{id}",
    path.startsWith("/v1/webhook-endpoints/") ? owner.endpointId : owner.stagedId,
  );
  for (const [found, name = ""] of path.matchAll(/\{(\w+)\}/g)) {
    if (name !== "id") filled = filled.replace(found, (await PARAMETERS[name]?.(owner)) ?? found);
  }
  const body = BODIES[operationId as OperationId]?.(owner);
  return (caller: Caller) =>
    caller.send({ method, path: filled, ...(body && { headers: JSON_TYPE, body: JSON.stringify(body) }) });
}

describe("an operation on one candidate or webhook endpoint", () => {
  test.for(onOne)("reaches only the caller's own: $operationId", async (row, context) => {
    const [owner, stranger] = await Promise.all([anOwner(context), anOrganisation()]);
    const call = await callOn(owner, row);

    expect(await call(stranger.caller)).toMatchObject({ status: 404, body: { error: "not_found" } });
    expect(await call(owner.caller)).toMatchObject({ status: row.status });
  });

  const reading = onOne.filter(({ path, response }) => path.startsWith("/v1/candidates/") && response);

  test.for(reading)("returns nothing of a candidate without consent: $operationId", async (row, context) => {
    const owner = await anOwner(context);
    const call = await callOn(owner, row);
    await owner.caller.amendCandidate(owner.stagedId, { consentGiven: false });

    expect(await call(owner.caller)).toMatchObject({ status: 404, body: { error: "consent_revoked" } });
  });
});
