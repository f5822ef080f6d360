import { DeleteCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from "vitest";
import { transition } from "#candidates/change";
import { digestOf, parseHandle, stagedIdOf } from "#candidates/handles";
import { completed } from "#candidates/outbox/abridged-event";
import { CandidateLives } from "#candidates/outbox/candidate-lives";
import { readOutbox } from "#candidates/outbox/outbox";
import { sampleCandidateEvent } from "#candidates/outbox/sample-event";
import { CandidateRepository } from "#candidates/store/candidate-repository";
import { candidateKey } from "#candidates/store/item/candidate-key";
import { CandidateSubmission } from "#contract/candidate-submission";
import { isEndpointEvent } from "#contract/events";
import { newEventId } from "#contract/identifiers";
import { runtime } from "#runtime/runtime";
import { type Delivery, deliveryOf, withoutBody } from "#webhooks/delivery/delivery";
import { DeliveryLog } from "#webhooks/delivery/delivery-log";
import { deliveryRecordKey } from "#webhooks/delivery/delivery-record-key";
import { resend } from "#webhooks/delivery/resend";
import { EndpointHealthRepository } from "#webhooks/endpoints/endpoint-health-repository";
import { WebhookEndpointRepository } from "#webhooks/endpoints/webhook-endpoint-repository";
import { ACME } from "../../builders/organisation.ts";
import { runtimeAt } from "../../builders/runtime.ts";
import { aFullSubmission } from "../../builders/submission.ts";
import { aStore, type Store } from "../../candidates/candidate-store.ts";
import { anAttempt, anEndpoint, NOW } from "../builders.ts";

const LATER = new Date(NOW.getTime() + 3_600_000);

let store: Store;
beforeAll(async () => {
  store = await aStore(inject("dynamoDbEndpoint"));
});
afterAll(() => store?.close());

const log = () => new DeliveryLog(store.client, store.tableName, () => NOW);
const health = () =>
  new EndpointHealthRepository(store.client, store.tableName, {
    ...runtimeAt(() => NOW),
    schedule: "standard",
  });
const endpoints = () => new WebhookEndpointRepository(store.client, store.tableName, () => NOW);
const lives = () => new CandidateLives(store.client, store.tableName, runtime);
const writes = () => new CandidateRepository(store.client, store.tableName, runtime);

describe("a resent delivery", () => {
  let externalId: string;
  let serial = 0;
  const ORG = "acme";

  beforeEach(async () => {
    serial += 1;
    externalId = `resent-${serial}-ü-😀`;
    await store.firedSinceLastAsked();
  });

  const handle = () => parseHandle(stagedIdOf(digestOf(ACME, externalId)));
  const receive = () => writes().receive(ACME, CandidateSubmission.parse(aFullSubmission({ externalId })));
  const service = () => ({
    lives: lives(),
    endpoints: endpoints(),
    log: log(),
    queue: { send: async () => {} },
    now: () => LATER,
  });

  async function registered() {
    const { id } = anEndpoint();
    await endpoints().register(
      ORG,
      id,
      { url: "https://receiver.example.com/", eventTypes: ["candidate.received"] },
      "1.sealed",
    );
    return id;
  }

  /** What posts the same bytes as a delivery did, once the record of its candidate has been read. */
  async function bytesOf({ event, body }: Delivery): Promise<string | undefined> {
    if (!event || isEndpointEvent(event)) return body;
    return JSON.stringify(completed(event, await lives().find(ORG, event.data.stagedId)));
  }

  /** The deliveries of all events fired since, as they were first made and logged. */
  async function delivered(endpointId: string): Promise<Delivery[]> {
    const deliveries = (await store.firedSinceLastAsked()).map((record) => {
      const { event, orgId } = readOutbox(record);
      return deliveryOf(event, orgId, endpointId, NOW);
    });
    for (const delivery of deliveries) await log().record(delivery, { status: "delivered" });
    return deliveries;
  }

  test("has the same id and bytes, and starts from its first attempt", async () => {
    const endpointId = await registered();
    await receive();
    const reasons = [{ code: "other", message: "ü 😀" }];
    for (const step of [
      transition("fail-validation", reasons),
      transition("verify"),
      transition("promote"),
      transition("revoke-consent"),
    ]) {
      await writes().change(ORG, handle(), step);
    }
    const deliveries = await delivered(endpointId);
    expect(deliveries).toHaveLength(5);

    for (const delivery of deliveries) {
      const again = await resend(ORG, endpointId, delivery.eventId, service());
      expect(again).toEqual({
        ...withoutBody(delivery),
        dueAt: LATER.toISOString(),
        resentAt: expect.any(String),
      });
      expect(JSON.stringify(again)).not.toMatch(/resent-|ü 😀/);
      expect(await bytesOf(again)).toBe(delivery.body);
    }
  });

  test("is refused after the candidate's erasure, except for candidate.erased", async () => {
    const endpointId = await registered();
    await receive();
    await writes().change(ORG, handle(), transition("erase"));
    const [received, erased] = await delivered(endpointId);

    await expect(resend(ORG, endpointId, received?.eventId ?? "", service())).rejects.toMatchObject({
      code: "invalid_request",
    });
    const again = await resend(ORG, endpointId, erased?.eventId ?? "", service());
    expect(again).toMatchObject({ eventId: erased?.eventId, dueAt: LATER.toISOString() });
    expect(await bytesOf(again)).toBe(erased?.body);
  });

  test("is refused for every event before an erasure if the candidate was created again", async () => {
    const endpointId = await registered();
    await receive();
    await writes().change(ORG, handle(), transition("erase"));
    await receive();
    const [received, erased, again] = await delivered(endpointId);

    for (const event of [received, erased]) {
      await expect(resend(ORG, endpointId, event?.eventId ?? "", service())).rejects.toMatchObject({
        code: "invalid_request",
        message: expect.stringContaining("has been neither erased nor created again since"),
      });
    }
    const resent = await resend(ORG, endpointId, again?.eventId ?? "", service());
    expect(await bytesOf(resent)).toBe(again?.body);
  });

  test("is refused after the tombstone's expiry, except for candidate.erased", async () => {
    const endpointId = await registered();
    await receive();
    await writes().change(ORG, handle(), transition("erase"));
    const [received, erased] = await delivered(endpointId);
    await store.client.send(
      new DeleteCommand({ TableName: store.tableName, Key: candidateKey(ORG, handle().digest) }),
    );

    await expect(resend(ORG, endpointId, received?.eventId ?? "", service())).rejects.toMatchObject({
      code: "invalid_request",
    });
    const again = await resend(ORG, endpointId, erased?.eventId ?? "", service());
    expect(await bytesOf(again)).toBe(erased?.body);
  });

  test("is not found by another organisation", async () => {
    const endpointId = await registered();
    await receive();
    const [received] = await delivered(endpointId);
    const eventId = received?.eventId ?? "";

    await expect(resend("other", endpointId, eventId, service())).rejects.toMatchObject({
      code: "not_found",
    });
    const anybodys = { get: async () => anEndpoint({ id: endpointId, orgId: "other" }) };
    await expect(
      resend("other", endpointId, eventId, {
        ...service(),
        endpoints: anybodys,
        lives: { find: (_orgId, stagedId) => lives().find(ORG, stagedId) },
      }),
    ).rejects.toMatchObject({ code: "not_found" });
  });

  test("is refused for an inactive endpoint and not found for a deleted one", async () => {
    const endpointId = await registered();
    await receive();
    const [received] = await delivered(endpointId);
    const eventId = received?.eventId ?? "";

    await health().deactivate(anEndpoint({ id: endpointId }), "gone", NOW.toISOString());
    await expect(resend(ORG, endpointId, eventId, service())).rejects.toMatchObject({
      code: "invalid_request",
    });

    await endpoints().delete(ORG, endpointId);
    await expect(resend(ORG, endpointId, eventId, service())).rejects.toMatchObject({
      code: "not_found",
    });
  });

  test("is not found if the endpoint never had it", async () => {
    const endpointId = await registered();

    await expect(resend(ORG, endpointId, newEventId(runtime), service())).rejects.toMatchObject({
      code: "not_found",
    });
  });

  test("is refused after a hundred attempts", async () => {
    const endpointId = await registered();
    await receive();
    const [received] = await delivered(endpointId);
    if (!received) throw new Error("There is an event.");
    const eventId = received.eventId;
    const attempts = Array.from({ length: 98 }, (_, index) => anAttempt(index + 1, { statusCode: 500 }));
    await store.client.send(
      new UpdateCommand({
        TableName: store.tableName,
        Key: deliveryRecordKey(endpointId, eventId),
        UpdateExpression: "SET attempts = :attempts",
        ExpressionAttributeValues: { ":attempts": attempts },
      }),
    );
    for (const attempt of [99, 100]) {
      await expect(resend(ORG, endpointId, eventId, service())).resolves.toMatchObject({ eventId });
      await log().record(received, {
        status: "failed",
        lastAttempt: anAttempt(attempt, { statusCode: 500 }),
      });
    }

    await expect(resend(ORG, endpointId, eventId, service())).rejects.toMatchObject({
      code: "invalid_request",
    });
  });

  test("is refused if it was a sample", async () => {
    const endpointId = await registered();
    const sample = deliveryOf(
      sampleCandidateEvent(
        "candidate.received",
        runtimeAt(() => NOW),
      ),
      ORG,
      endpointId,
      NOW,
    );
    await log().record(sample, { status: "delivered" });

    await expect(resend(ORG, endpointId, sample.eventId, service())).rejects.toMatchObject({
      code: "invalid_request",
    });
  });
});
