import { describe, expect, type TestContext, test } from "vitest";
import { Recovery } from "#contract/recovery";
import { aSubmission } from "../builders/submission.ts";
import { type Caller, eightAtATime, received } from "./client.ts";
import { advance, anOrganisation } from "./platform.ts";
import { aReceiver } from "./receiver.ts";
import {
  aSubscriber,
  CONTRACT_TYPES,
  registered,
  UNKNOWN_ENDPOINT_ID,
  webhookEndpointsOf,
} from "./webhook-client.ts";

const DAY = 24 * 60 * 60_000;

/** An organisation with an endpoint, and the moment before both. */
async function aRecoveringSubscriber({ expect, onTestFinished }: TestContext) {
  const since = new Date().toISOString();
  const { orgId, caller, endpoints, receiver, endpointId: id } = await aSubscriber({ onTestFinished });
  const recover = async (request: object = {}): Promise<Recovery> => {
    const { status, text, body } = await endpoints.recover(id, { since, ...request });
    expect(status, text).toBe(202);
    return body as Recovery;
  };
  /** Waits until a recovery has ended, and gives it. */
  const ended = async ({ id: recoveryId }: Recovery): Promise<Recovery> => {
    const follow = async () => (await endpoints.recovery(id, recoveryId)).body as Recovery;
    await expect.poll(async () => (await follow()).status).not.toBe("running");
    const recovery = await follow();
    expect(Recovery.parse(recovery)).toEqual(recovery);
    return recovery;
  };
  return { orgId, caller, receiver, id, endpoints, since, recover, ended };
}

/** Waits until the feed has so many of the organisation's events, some perhaps twice: they are published by then. */
async function published({ expect }: TestContext, caller: Caller, count: number): Promise<void> {
  const ids = new Set<string>();
  let query = "";
  const events = async () => {
    const { body } = await caller.send({ method: "GET", path: `/v1/events${query}` });
    for (const { id } of body["data"] as { readonly id: string }[]) ids.add(id);
    query = `?cursor=${body["nextCursor"]}`;
    return ids.size;
  };
  await expect.poll(events).toBe(count);
}

describe.concurrent("a recovery", () => {
  test("sends all events that fired while the endpoint was off, and a second one sends nothing", async (context) => {
    const { caller, receiver, id, endpoints, since, recover, ended } = await aRecoveringSubscriber(context);
    await endpoints.update(id, { active: false });
    const stagedIds = await eightAtATime(Array.from({ length: 60 }), () => received(caller, aSubmission()));
    await published(context, caller, 60);
    await endpoints.update(id, { active: true });

    const started = await recover();
    const refused = await endpoints.recover(id, { since });
    const first = await ended(started);
    const seen = () => new Set(receiver.deliveries.map(({ event }) => event.data["stagedId"]));
    await receiver.waitUntil(() => seen().size >= 60);
    // A delivery is recorded after the receiver's response.
    const delivered = async () =>
      (await endpoints.deliveries(id, { status: "delivered", limit: "100" })).body["data"];
    await context.expect.poll(delivered).toHaveLength(60);
    const second = await ended(await recover());

    expect(started).toMatchObject({
      status: "running",
      found: 0,
      sent: 0,
      since,
      eventTypes: CONTRACT_TYPES,
    });
    expect(refused).toMatchObject({ status: 400, body: { error: "invalid_request" } });
    expect(refused.body["message"]).toContain(started.id);
    expect(first).toMatchObject({ id: started.id, status: "completed", found: first.sent });
    expect(first.sent).toBeGreaterThanOrEqual(60);
    expect([...seen()].sort()).toEqual(stagedIds.sort());
    expect(second).toMatchObject({ status: "completed", found: 0, sent: 0 });
  });

  test("sends events of before the endpoint existed, of the given types only", async (context) => {
    const { expect, onTestFinished } = context;
    const since = new Date().toISOString();
    const { orgId, caller } = await anOrganisation();
    const handle = await received(caller, aSubmission());
    await advance(orgId, handle, "promote");
    await published(context, caller, 2);
    const receiver = await aReceiver(undefined, onTestFinished);
    const { id } = await registered(caller, receiver.url, ["candidate.received"]);
    const endpoints = webhookEndpointsOf(caller);

    const { body } = await endpoints.recover(id, { since, eventTypes: ["candidate.promoted"] });
    const [delivery] = await receiver.waitFor(1);
    await expect
      .poll(async () => (await endpoints.recovery(id, body["id"])).body)
      .toMatchObject({ status: "completed", found: 1, sent: 1 });

    expect(delivery?.event).toMatchObject({ type: "candidate.promoted", data: { stagedId: handle } });
    expect(receiver.deliveries).toHaveLength(1);
  });

  test("sends of an erased candidate that it was erased, and nothing else", async (context) => {
    const { orgId, caller, receiver, id, endpoints, recover, ended } = await aRecoveringSubscriber(context);
    await endpoints.update(id, { active: false });
    const handle = await received(caller, aSubmission());
    await advance(orgId, handle, "erase");
    await published(context, caller, 2);
    await endpoints.update(id, { active: true });

    const recovery = await ended(await recover());
    await receiver.waitFor(1);

    expect(recovery).toMatchObject({ status: "completed", found: 2, sent: 1 });
    expect(receiver.deliveries.map(({ event }) => event.type)).toEqual(["candidate.erased"]);
  });

  test.for([
    ["becomes inactive", "update", /inactive/],
    ["is sent until a moment in the past", undefined, undefined],
  ] as const)("ends when its endpoint %s", async ([_, change, reason], context) => {
    const { id, endpoints, recover, ended } = await aRecoveringSubscriber(context);
    const started = await recover(change ? {} : { until: new Date().toISOString() });
    if (change) await endpoints.update(id, { active: false });

    const { status, reason: given } = await ended(started);

    expect(status).toBe(reason ? "failed" : "completed");
    if (reason) expect(given).toMatch(reason);
  });

  test("is refused for an inactive endpoint, for what is no time, and for events that are no longer kept", async (context) => {
    const { id, endpoints, since } = await aRecoveringSubscriber(context);
    const old = new Date(Date.now() - 32 * DAY).toISOString();
    const later = new Date(Date.now() + DAY).toISOString();

    const responses = [
      await endpoints.recover(id, { since: later }),
      await endpoints.recover(id, { since, until: since }),
      await endpoints.recover(id, {}),
      await endpoints.recover(id, { since, eventTypes: [] }),
      await endpoints.recover(id, { since, types: ["candidate.received"] }),
    ];
    const tooOld = await endpoints.recover(id, { since: old });
    await endpoints.update(id, { active: false });
    const inactive = await endpoints.recover(id, { since });

    for (const response of [...responses, inactive]) {
      expect(response).toMatchObject({ status: 400, body: { error: "invalid_request" } });
    }
    expect(tooOld).toMatchObject({
      status: 400,
      body: {
        error: "events_expired",
        message: expect.stringMatching(/^since: too old; events are kept for 30 days/),
      },
    });
    expect(inactive.body["message"]).toBe("The endpoint is inactive. Send PATCH with active true first.");
  });

  test("of another organisation's endpoint, or of an unknown one, is a 404", async (context) => {
    const { id, endpoints, since, recover } = await aRecoveringSubscriber(context);
    const stranger = await aRecoveringSubscriber(context);
    const { id: recoveryId } = await recover();

    const responses = [
      await stranger.endpoints.recover(id, { since }),
      await stranger.endpoints.recovery(id, recoveryId),
      await stranger.endpoints.recovery(stranger.id, recoveryId),
      await endpoints.recover(UNKNOWN_ENDPOINT_ID, { since }),
      await endpoints.recovery(id, `rec_${"0".repeat(26)}`),
      await endpoints.recovery(id, "rec_1"),
    ];

    for (const response of responses) {
      expect(response).toMatchObject({ status: 404, body: { error: "not_found" } });
    }
  });
});
