import { createHmac } from "node:crypto";
import fc from "fast-check";
import { Webhook } from "standardwebhooks";
import { describe, expect, test } from "vitest";
import { WebhookEvent } from "#contract/events";
import { anyText } from "../builders/any-text.ts";
import { aFullSubmission, aSubmission } from "../builders/submission.ts";
import { type Caller, received } from "./client.ts";
import type { Received } from "./messages.ts";
import { advance, anOrganisation, responseOf } from "./platform.ts";
import { aReceiver } from "./receiver.ts";
import { registered, webhookEndpointsOf } from "./webhook-client.ts";

/** Verified with Web Crypto, which shares no code with what signs. */
async function isGenuine({ headers, body }: Received, signingSecret: string): Promise<boolean> {
  const text = new TextEncoder();
  const key = await crypto.subtle.importKey(
    "raw",
    text.encode(signingSecret),
    { name: "HMAC", hash: "SHA-256" },
    false,
    ["verify"],
  );
  const [scheme, hex = ""] = String(headers["x-rr-signature"]).split("=");
  return scheme === "sha256" && crypto.subtle.verify("HMAC", key, Buffer.from(hex, "hex"), text.encode(body));
}

describe.concurrent("a candidate's life", () => {
  test("fires six events, each signed, in the published form, without personal data", async ({
    onTestFinished,
  }) => {
    const { orgId, caller } = await anOrganisation();
    const receiver = await aReceiver(undefined, onTestFinished);
    const { signingSecret } = await registered(caller, receiver.url);
    const submission = aFullSubmission();

    const stagedId = await received(caller, submission);
    const id = stagedId.replace("staged_", "cand_");
    const reasons = [{ code: "cv_unreadable", message: "The CV could not be opened." }];
    await advance(orgId, stagedId, "fail-validation", { reasons });
    await advance(orgId, stagedId, "verify");
    await advance(orgId, stagedId, "promote");
    await caller.amendCandidate(id, { consentGiven: false });
    await advance(orgId, stagedId, "erase");
    const deliveries = await receiver.waitFor(6);

    const events = deliveries.map(({ event }) => event).sort((left, right) => left.sequence - right.sequence);
    const { externalId } = submission;
    const expected = [
      [
        "candidate.received",
        {
          stagedId,
          id: null,
          externalId,
          status: "received",
          verificationStatus: "in_review",
          availabilityStatus: "pending",
        },
      ],
      [
        "candidate.validation_failed",
        {
          stagedId,
          id: null,
          externalId,
          status: "validation_failed",
          verificationStatus: "in_review",
          availabilityStatus: "pending",
          reasons,
        },
      ],
      [
        "candidate.verified",
        {
          stagedId,
          id: null,
          externalId,
          status: "verified",
          verificationStatus: "verified",
          availabilityStatus: "pending",
        },
      ],
      [
        "candidate.promoted",
        {
          stagedId,
          id,
          externalId,
          status: "promoted",
          verificationStatus: "verified",
          availabilityStatus: "available",
        },
      ],
      [
        "candidate.consent_revoked",
        {
          stagedId,
          id,
          externalId,
          status: "consent_revoked",
          verificationStatus: "verified",
          availabilityStatus: "pending",
        },
      ],
      ["candidate.erased", { stagedId, id, status: "erased" }],
    ] as const;
    expect(events).toEqual(
      expected.map(([type, data], index) => ({
        id: expect.stringMatching(/^evt_[0-9a-z]{26}$/),
        type,
        apiVersion: "1.2.0",
        occurredAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        sequence: index + 1,
        data,
      })),
    );
    for (const delivery of deliveries) {
      expect(WebhookEvent.parse(delivery.event)).toEqual(delivery.event);
      expect(await isGenuine(delivery, signingSecret)).toBe(true);
      const standard = new Webhook(signingSecret).verify(
        delivery.body,
        delivery.headers as Record<string, string>,
      );
      expect(standard).toEqual(delivery.event);
      expect(delivery.headers).toMatchObject({
        "content-type": "application/json",
        "x-rr-event-id": delivery.event.id,
        "x-rr-event-type": delivery.event.type,
        "x-rr-delivery-attempt": "1",
      });
      for (const personal of [
        submission.firstName,
        submission.email,
        submission.phone,
        submission.dateOfBirth,
      ]) {
        expect(delivery.body).not.toContain(personal);
      }
    }
  });

  test("is delivered whatever characters the externalId has, and delays no other candidate's events", async ({
    onTestFinished,
  }) => {
    const { caller } = await anOrganisation();
    const receiver = await aReceiver(undefined, onTestFinished);
    await registered(caller, receiver.url, ["candidate.received"]);
    const externalIds = fc.uniqueArray(anyText({ minLength: 1, maxLength: 128 }), {
      minLength: 1,
      maxLength: 12,
    });
    const trying = ["😀", "\u{10ffff}".repeat(128), "\ufffe\uffff", "\u0000\u007f\u2028", "\ufffd", "plain"];

    await fc.assert(
      fc.asyncProperty(externalIds, async (created) => {
        await Promise.all(created.map((externalId) => received(caller, aSubmission({ externalId }))));

        const notified = () => new Set(receiver.deliveries.map(({ event }) => event.data["externalId"]));
        await receiver.waitUntil(() => created.every((externalId) => notified().has(externalId)));
      }),
      { numRuns: 3, examples: [[trying]] },
    );
  });

  test("fires nothing for a replayed create, an amend, or a transition that is in effect or refused", async ({
    onTestFinished,
  }) => {
    const { orgId, caller } = await anOrganisation();
    const receiver = await aReceiver(undefined, onTestFinished);
    await registered(caller, receiver.url);
    const submission = aSubmission();

    const stagedId = await received(caller, submission);
    await caller.createCandidate(submission);
    await caller.amendCandidate(stagedId, { headline: "amended" });
    await advance(orgId, stagedId, "promote");
    await advance(orgId, stagedId, "promote");
    await advance(orgId, stagedId, "score", { score: 80 });
    await expect(
      advance(orgId, stagedId, "fail-validation", { reasons: [{ code: "late", message: "Late." }] }),
    ).rejects.toThrow("not allowed");
    await advance(orgId, stagedId, "revoke-consent");
    // An attempt that takes two seconds is made twice.
    const events = () => new Map(receiver.deliveries.map(({ event }) => [event.id, event]));
    await receiver.waitUntil(() => events().size >= 3);

    const fired = [...events().values()];
    expect(fired.map(({ type }) => type).sort()).toEqual([
      "candidate.consent_revoked",
      "candidate.promoted",
      "candidate.received",
    ]);
    expect(fired.map(({ sequence }) => sequence).sort()).toEqual([1, 2, 3]);
  });

  test("fires one event for concurrent equal transitions", async ({ onTestFinished }) => {
    const { orgId, caller } = await anOrganisation();
    const receiver = await aReceiver(undefined, onTestFinished);
    await registered(caller, receiver.url, ["candidate.promoted", "candidate.erased"]);
    const stagedId = await received(caller, aSubmission());

    const responses = await Promise.all(
      Array.from({ length: 10 }, () => advance(orgId, stagedId, "promote")),
    );
    await advance(orgId, stagedId, "erase");
    for (const type of ["candidate.promoted", "candidate.erased"]) {
      await receiver.waitFor(1, ({ event }) => event.type === type);
    }

    expect(responses.filter(({ changed }) => changed)).toHaveLength(1);
    // Delivered at least once: the same event may come again.
    const sequences = new Map(receiver.deliveries.map(({ event }) => [event.id, event.sequence]));
    expect([...sequences.values()].sort()).toEqual([2, 3]);
  });
});

describe.concurrent("an event", () => {
  test("reaches exactly the organisation's endpoints subscribed to its type, with the same id and bytes", async ({
    onTestFinished,
  }) => {
    const { orgId, caller } = await anOrganisation();
    const stranger = await anOrganisation();
    const [all, promoted, foreign] = await Promise.all([
      aReceiver(undefined, onTestFinished),
      aReceiver(undefined, onTestFinished),
      aReceiver(undefined, onTestFinished),
    ]);
    await registered(caller, all.url);
    await registered(caller, promoted.url, ["candidate.promoted"]);
    await registered(stranger.caller, foreign.url);

    const stagedId = await received(caller, aSubmission());
    await advance(orgId, stagedId, "promote");
    const [everything] = await Promise.all([all.waitFor(2), promoted.waitFor(1)]);
    await received(stranger.caller, aSubmission());
    const toStranger = await foreign.waitFor(1);

    expect(promoted.deliveries.map(({ event }) => event.type)).toEqual(["candidate.promoted"]);
    expect(promoted.deliveries[0]?.body).toBe(
      everything.find(({ event }) => event.type === "candidate.promoted")?.body,
    );
    expect(toStranger.map(({ event }) => event.data["stagedId"])).not.toContain(stagedId);
  });

  test("that is not acknowledged is sent again with the same id and bytes and the next attempt number", async ({
    onTestFinished,
  }) => {
    const { caller } = await anOrganisation();
    const receiver = await aReceiver(
      (response) => response.writeHead(receiver.deliveries.length === 1 ? 500 : 200).end(),
      onTestFinished,
    );
    const { signingSecret } = await registered(caller, receiver.url);

    await received(caller, aSubmission());
    const [first, second] = await receiver.waitFor(2);

    expect(second?.body).toBe(first?.body);
    expect(second?.headers["x-rr-event-id"]).toBe(first?.headers["x-rr-event-id"]);
    expect(second?.headers["x-rr-signature"]).toBe(first?.headers["x-rr-signature"]);
    expect([first, second].map((delivery) => delivery?.headers["x-rr-delivery-attempt"])).toEqual(["1", "2"]);
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThan(3_900);
    expect(second && (await isGenuine(second, signingSecret))).toBe(true);
  });

  test("gets no retry after a 410, and the endpoint becomes inactive but still accepts a sample", async ({
    expect,
    onTestFinished,
  }) => {
    const { caller } = await anOrganisation();
    const receiver = await aReceiver((response) => response.writeHead(410).end(), onTestFinished);
    const witness = await aReceiver(undefined, onTestFinished);
    const { id } = await registered(caller, receiver.url);
    await registered(caller, witness.url);
    const endpoints = webhookEndpointsOf(caller);

    await received(caller, aSubmission());
    await receiver.waitFor(1);
    await expect.poll(async () => (await endpoints.get(id)).body["active"]).toBe(false);
    await received(caller, aSubmission());
    await witness.waitFor(2);
    await endpoints.test(id);
    await receiver.waitFor(1, ({ event }) => event["sample"] === true);

    expect(receiver.deliveries.filter(({ event }) => event["sample"] !== true)).toHaveLength(1);
  });

  test("is not delayed by hanging receivers", async ({ expect, onTestFinished }) => {
    const { caller } = await anOrganisation();
    const hanging = await aReceiver(() => undefined, onTestFinished);
    const fast = await aReceiver(undefined, onTestFinished);
    await registered(caller, hanging.url, ["candidate.received"]);
    await registered(caller, fast.url, ["candidate.received"]);

    await Promise.all(Array.from({ length: 5 }, () => received(caller, aSubmission())));
    await fast.waitFor(5);

    // No first attempt has timed out yet, so none has been repeated.
    expect(hanging.deliveries.map(({ headers }) => headers["x-rr-delivery-attempt"])).not.toContain("2");
  });
});

describe("a sample", () => {
  test("is of the endpoint's first event type, marked, signed, and attempted once", async () => {
    const { orgId, caller } = await anOrganisation();
    const receiver = await aReceiver((response) => response.writeHead(500).end());
    const { id, signingSecret } = await registered(caller, receiver.url, [
      "candidate.promoted",
      "candidate.received",
    ]);

    const accepted = await webhookEndpointsOf(caller).test(id);
    const [sample] = await receiver.waitFor(1);

    expect(accepted.status).toBe(202);
    expect(accepted.text).toBe("");
    expect(sample?.event).toMatchObject({ type: "candidate.promoted", sample: true, sequence: 1 });
    expect(WebhookEvent.parse(sample?.event)).toEqual(sample?.event);
    expect(sample && (await isGenuine(sample, signingSecret))).toBe(true);
    await expect
      .poll(async () => (await responseOf("inspect-deliveries", { orgId, endpointId: id }))["data"])
      .toEqual([expect.objectContaining({ status: "failed", eventId: sample?.event.id })]);
  });
});

describe("a sample with an eventType in the query", () => {
  const sampleOf = (caller: Caller, id: string, query: string) =>
    caller.send({ method: "POST", path: `/v1/webhook-endpoints/${id}/test?${query}` });

  test("has that type, whether the endpoint is subscribed to it or not", async () => {
    const { caller } = await anOrganisation();
    const receiver = await aReceiver();
    const { id } = await registered(caller, receiver.url, ["candidate.received"]);

    const response = await sampleOf(caller, id, "eventType=candidate.erased&other=ignored");
    const [sample] = await receiver.waitFor(1);

    expect(response.status).toBe(202);
    expect(response.text).toBe("");
    expect(sample?.event).toMatchObject({ type: "candidate.erased", sample: true });
  });

  test.each([
    ["eventType=", /^eventType: one of candidate\.received, .* is expected$/],
    ["eventType=candidate.hired", /^eventType: one of candidate\.received, .* is expected$/],
    [
      "eventType=candidate.erased&eventType=candidate.erased",
      /^eventType: one parameter of this name is expected$/,
    ],
  ])("that is not one event type is refused and sends nothing: %s", async (query, message) => {
    const { orgId, caller } = await anOrganisation();
    const receiver = await aReceiver();
    const { id } = await registered(caller, receiver.url);

    const response = await sampleOf(caller, id, query);

    expect(response.status).toBe(400);
    expect(response.body).toEqual({
      error: "invalid_request",
      message: expect.stringMatching(message),
    });
    expect((await responseOf("inspect-deliveries", { orgId, endpointId: id }))["data"]).toEqual([]);
  });
});

describe("a sample of an extension event", () => {
  test("reaches an endpoint that is subscribed to it", async () => {
    const { caller } = await anOrganisation();
    const receiver = await aReceiver();
    const { id, signingSecret } = await registered(caller, receiver.url, ["candidate.consent_restored"]);

    const response = await webhookEndpointsOf(caller).test(id);
    const [sample] = await receiver.waitFor(1);

    expect(response.status).toBe(202);
    expect(sample?.headers["x-rr-event-type"]).toBe("candidate.consent_restored");
    expect(sample?.event).toMatchObject({ type: "candidate.consent_restored", sample: true });
    expect(WebhookEvent.parse(sample?.event)).toEqual(sample?.event);
    expect(sample && (await isGenuine(sample, signingSecret))).toBe(true);
  });
});

describe("the platform", () => {
  test("sees each delivery's attempts, and resends one with the same bytes", async () => {
    const { orgId, caller } = await anOrganisation();
    const receiver = await aReceiver();
    const { id: endpointId } = await registered(caller, receiver.url);

    await received(caller, aSubmission({ externalId: `ada+${Date.now()}@example.com` }));
    const [first] = await receiver.waitFor(1);
    await expect
      .poll(async () => (await responseOf("inspect-deliveries", { orgId, endpointId }))["data"])
      .toEqual([
        {
          endpointId,
          orgId,
          eventId: first?.event.id,
          eventType: "candidate.received",
          status: "delivered",
          attempts: [{ attempt: 1, at: expect.any(String), durationMs: expect.any(Number), statusCode: 204 }],
        },
      ]);
    await responseOf("redeliver-event", { orgId, endpointId, eventId: first?.event.id });
    const [, again] = await receiver.waitFor(2);

    expect(again?.body).toBe(first?.body);
    expect(again?.headers["x-rr-signature"]).toBe(first?.headers["x-rr-signature"]);
  });

  test("can rotate the keyring and reseal signing secrets without any effect on deliveries", async () => {
    const { caller } = await anOrganisation();
    const [before, after] = await Promise.all([aReceiver(), aReceiver()]);
    const old = await registered(caller, before.url, ["candidate.received"]);

    await responseOf("rotate-keyring", {});
    const fresh = await registered(caller, after.url, ["candidate.received"]);
    const { resealed } = await responseOf("reseal-signing-secrets", {});
    await received(caller, aSubmission());
    const [[toOld], [toNew]] = await Promise.all([before.waitFor(1), after.waitFor(1)]);

    expect(resealed).toBeGreaterThanOrEqual(1);
    for (const [delivery, { signingSecret }] of [
      [toOld, old],
      [toNew, fresh],
    ] as const) {
      expect(delivery?.headers["x-rr-signature"]).toBe(
        `sha256=${createHmac("sha256", signingSecret)
          .update(delivery?.body ?? "")
          .digest("hex")}`,
      );
    }
  });
});
