import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import type { SQSRecord } from "aws-lambda";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import type { Life } from "#candidates/outbox/candidate-lives";
import { EVENT_TYPES, type WebhookEvent } from "#contract/events";
import { newRecoveryId } from "#contract/identifiers";
import type { RecoveryRequest } from "#contract/recovery";
import { runtime } from "#runtime/runtime";
import { type Delivery, deliveryOf } from "#webhooks/delivery/delivery";
import { DeliveryLog } from "#webhooks/delivery/delivery-log";
import type { StoredEndpoint } from "#webhooks/endpoints/stored-endpoint";
import { EventFeed, READ_BEHIND_MS } from "#webhooks/feed/event-feed";
import { FUTILE_RECEIVES, type RecoverService, recover, WORKS_FOR_MS } from "#webhooks/recoveries/recover";
import { RecoveryRepository } from "#webhooks/recoveries/recovery-repository";
import { INTERVAL_MS } from "#webhooks/recoveries/resend-missed";
import { type StartRecoveryService, startRecovery } from "#webhooks/recoveries/start-recovery";
import { STOPPED, type StoredRecovery } from "#webhooks/recoveries/stored-recovery";
import { capturedLogs } from "../../builders/captured-logs.ts";
import { aStore, type Store } from "../../candidates/candidate-store.ts";
import { anEndpoint, anEndpointEvent, anEvent, NOW } from "../builders.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const ALIVE: Life = { isErased: false, firstSequence: 1, externalId: "ext-1" };

const logs = capturedLogs();
const logged = () => logs.lines().map((line) => JSON.parse(line) as unknown);
let store: Store;
beforeAll(async () => {
  store = await aStore(inject("dynamoDbEndpoint"));
});
afterAll(() => store?.close());

let organisations = 0;

/** The table responds in time by the tests' clock, however slow this machine is. */
const never = () => new Promise(() => {});

/** An organisation that no other test knows, its endpoint, and a clock; events are published an hour before it. */
async function aRecovery(overrides: Partial<RecoverService> = {}, request: Partial<RecoveryRequest> = {}) {
  const orgId = `org-${organisations++}`;
  const clock = { ms: NOW.getTime() };
  const now = () => new Date(clock.ms);
  const endpoint: { current: StoredEndpoint | undefined } = { current: anEndpoint({ orgId }) };
  const endpointId = endpoint.current?.id ?? "";
  const log = new DeliveryLog(store.client, store.tableName, now);
  const recoveries = new RecoveryRepository(store.client, store.tableName, now);
  const feedAt = (moment: () => Date) =>
    new EventFeed(store.client, store.tableName, 30, { ...runtime, now: moment, wait: never });
  const sent: Delivery[] = [];
  const service: RecoverService = {
    recoveries,
    endpoints: { find: async () => endpoint.current },
    feed: feedAt(now),
    log,
    lives: { find: async () => ALIVE },
    queue: {
      sendAll: async (deliveries) => {
        sent.push(...deliveries);
        return [];
      },
    },
    retentionDays: 30,
    now,
    wait: async (ms) => {
      clock.ms += ms;
    },
    ...overrides,
  };
  const start = (
    requested: Partial<RecoveryRequest> = {},
    queue: StartRecoveryService["queue"] = { send: async () => {} },
  ) =>
    startRecovery(
      orgId,
      endpointId,
      { since: new Date(clock.ms - 2 * HOUR), ...requested },
      {
        endpoints: { get: async () => endpoint.current as StoredEndpoint },
        recoveries,
        queue,
        retentionDays: 30,
        now,
        randomBytes: runtime.randomBytes,
      },
    );
  const { id: recoveryId } = await start(request);
  const body = JSON.stringify({ orgId, endpointId, recoveryId });
  return {
    orgId,
    endpointId,
    endpoint,
    clock,
    log,
    recoveries,
    service,
    sent,
    start,
    recoveryId,
    /** One event an item, so that a page has 40 events of each shard. */
    publish: async (events: readonly WebhookEvent[]) => {
      const feed = feedAt(() => new Date(NOW.getTime() - HOUR));
      await Promise.all(events.map((event) => feed.append(orgId, [event])));
    },
    /** Receives the recovery's message for the nth time. */
    receive: (receives: number, others: Partial<RecoverService> = {}) =>
      recover({ body, attributes: { ApproximateReceiveCount: String(receives) } } as unknown as SQSRecord, {
        ...service,
        ...others,
      }),
    found: () => recoveries.get(endpointId, recoveryId),
  };
}

const events = (count: number) => Array.from({ length: count }, () => anEvent());
const idsOf = (deliveries: readonly { readonly eventId: string }[]) =>
  deliveries.map(({ eventId }) => eventId).sort();

describe("a recovery", () => {
  test("queues each event that was not acknowledged, fifty a second, without its externalId", async () => {
    const { receive, publish, sent, found, log, orgId, endpointId, recoveryId } = await aRecovery();
    const [delivered, failed, ...others] = events(30) as [WebhookEvent, WebhookEvent, ...WebhookEvent[]];
    await publish([delivered, failed, ...others]);
    for (const [event, status] of [
      [delivered, "delivered"],
      [failed, "failed"],
    ] as const) {
      await log.record(deliveryOf(event, orgId, endpointId, NOW), { status });
    }

    expect(await receive(1)).toBe(true);

    expect(idsOf(sent)).toEqual([failed, ...others].map(({ id }) => id).sort());
    expect(sent.map(({ dueAt }) => Date.parse(dueAt) - NOW.getTime())).toEqual(
      sent.map((_, index) => index * INTERVAL_MS),
    );
    expect(sent[0]).toMatchObject({ orgId, endpointId, attempt: 1 });
    expect(JSON.stringify(sent)).not.toContain("externalId");
    expect(await found()).toMatchObject({ status: "completed", found: 29, sent: 29 });
    const line = { level: "INFO", message: "recovery", orgId, endpointId, recoveryId };
    expect(logged()).toContainEqual(
      expect.objectContaining({ ...line, status: "running", found: 29, sent: 29 }),
    );
    expect(logged()).toContainEqual(
      expect.objectContaining({ ...line, status: "completed", found: 0, sent: 0 }),
    );
  });

  test("counts an event whose next attempt is soon, and does not send it twice", async () => {
    const { receive, publish, sent, found, log, orgId, endpointId } = await aRecovery();
    const event = anEvent();
    await publish([event]);
    const nextAttemptAt = new Date(NOW.getTime() + MINUTE).toISOString();
    await log.record(deliveryOf(event, orgId, endpointId, NOW), { status: "pending", nextAttemptAt });

    await receive(1);

    expect(sent).toEqual([]);
    expect(await found()).toMatchObject({ status: "completed", found: 1, sent: 0 });
  });

  test("begins after the attempts that are recorded: one that is under way makes it a copy", async () => {
    const { receive, publish, sent, log, orgId, endpointId } = await aRecovery();
    const [attempted, unknown] = events(2) as [WebhookEvent, WebhookEvent];
    await publish([attempted, unknown]);
    const delivery = deliveryOf(attempted, orgId, endpointId, NOW);
    for (const [attempt, ms] of [
      [1, -5_000],
      [2, -1_000],
    ] as const) {
      const at = new Date(NOW.getTime() + ms).toISOString();
      await log.record(delivery, {
        status: attempt === 1 ? "pending" : "failed",
        lastAttempt: { attempt, at, durationMs: 12, statusCode: 500 },
      });
    }

    await receive(1);

    const resentAt = new Map(sent.map((each) => [each.eventId, each.resentAt]));
    expect(resentAt.get(attempted.id)).toBe(new Date(NOW.getTime() - 999).toISOString());
    expect(resentAt.get(unknown.id)).toBe("1970-01-01T00:00:00.000Z");
  });

  test("counts and sends an event once that the feed has on several pages", async () => {
    const { receive, publish, sent, found } = await aRecovery();
    const missed = events(100);
    await publish(missed);
    await publish(missed);

    expect(await receive(1)).toBe(true);

    expect(idsOf(sent)).toEqual(missed.map(({ id }) => id).sort());
    expect(await found()).toMatchObject({ status: "completed", found: 100, sent: 100 });
  });

  test("goes on where it was left after a crash", async () => {
    const { receive, publish, sent, found, service } = await aRecovery();
    const missed = events(200);
    await publish(missed);
    let pages = 0;
    const crashing: Partial<RecoverService> = {
      queue: {
        sendAll: async (deliveries) => {
          pages += 1;
          if (pages === 2) throw new Error("crash");
          return service.queue.sendAll(deliveries);
        },
      },
    };

    await expect(receive(1, crashing)).rejects.toThrow("crash");
    const before = sent.length;
    expect(await receive(2)).toBe(true);

    expect(before).toBeGreaterThan(0);
    expect(idsOf(sent)).toEqual(missed.map(({ id }) => id).sort());
    expect(await found()).toMatchObject({ status: "completed", found: 200, sent: 200 });
  });

  test("queues a page again if the crash was before its record", async () => {
    const { receive, publish, sent, found, recoveries, service } = await aRecovery();
    await publish(events(10));
    const crashing = {
      recoveries: {
        find: recoveries.find.bind(recoveries),
        isLatest: async () => true,
        advance: async () => Promise.reject(new Error("crash")),
      },
    };

    await expect(receive(1, { ...service, ...crashing })).rejects.toThrow("crash");
    expect(await receive(2)).toBe(true);

    expect(sent).toHaveLength(20);
    expect(new Set(idsOf(sent)).size).toBe(10);
    expect(await found()).toMatchObject({ found: 10, sent: 10 });
  });

  test("leaves the rest to the next run when its time is over", async () => {
    const { receive, publish, clock, endpoint, found } = await aRecovery();
    await publish(events(200));
    const slow = {
      endpoints: {
        find: async () => {
          clock.ms += WORKS_FOR_MS;
          return endpoint.current;
        },
      },
    };

    expect(await receive(1, slow)).toBe(false);
    const { status, sent } = await found();

    expect(status).toBe("running");
    expect(sent).toBeGreaterThan(0);
    expect(sent).toBeLessThan(200);
    expect(await receive(2)).toBe(true);
    expect(await found()).toMatchObject({ status: "completed", sent: 200 });
  });

  test("queues no more than seven minutes ahead", async () => {
    const { receive, publish, recoveries, found, sent, clock } = await aRecovery();
    await publish(events(3));
    await recoveries.advance(await found(), {
      pacedUntil: new Date(NOW.getTime() + 7 * MINUTE).toISOString(),
    });

    expect(await receive(1)).toBe(false);
    expect(sent).toEqual([]);
    clock.ms += MINUTE;
    expect(await receive(2)).toBe(true);

    expect(Date.parse(sent[0]?.dueAt ?? "")).toBe(NOW.getTime() + 7 * MINUTE);
  });

  test("leaves its place to another run that has the same message and is ahead", async () => {
    const { receive, publish, endpoint, found } = await aRecovery();
    await publish(events(3));
    let nested = false;
    const overtaken = {
      endpoints: {
        find: async () => {
          if (!nested) {
            nested = true;
            await receive(2);
          }
          return endpoint.current;
        },
      },
    };

    expect(await receive(1, overtaken)).toBe(false);

    expect(await found()).toMatchObject({ status: "completed", found: 3 });
  });

  test("does not send an endpoint the notices about itself", async () => {
    const { receive, publish, sent, endpointId } = await aRecovery();
    const about = anEndpointEvent(anEndpoint());
    await publish([anEndpointEvent(anEndpoint({ id: endpointId })), about]);

    await receive(1);

    expect(idsOf(sent)).toEqual([about.id]);
  });

  test("sends no event that occurred more than a second after its end", async () => {
    const { receive, publish, clock, sent } = await aRecovery();
    const at = (ms: number) => anEvent({ occurredAt: new Date(clock.ms + ms).toISOString() });
    const [before, after] = [at(1_000), at(1_001)];
    await publish([before, after]);

    await receive(1);

    expect(sent.map(({ eventId }) => eventId)).toEqual([before.id]);
  });

  test("waits at its end until the feed has everything of its time, and sends what comes late", async () => {
    const late = anEvent();
    const recovery = await aRecovery();
    const { receive, orgId, clock, sent, found, service } = recovery;
    const lateFeed = new EventFeed(store.client, store.tableName, 30, {
      ...runtime,
      now: () => new Date(NOW.getTime() + 3_000),
      wait: never,
    });

    await receive(1, {
      wait: async (ms) => {
        await lateFeed.append(orgId, [late]);
        await service.wait(ms);
      },
    });

    expect(idsOf(sent)).toEqual([late.id]);
    expect(clock.ms - NOW.getTime()).toBeLessThan(10_000);
    expect(await found()).toMatchObject({ status: "completed", sent: 1 });
  });

  test("fails in plain words once its next events may have been deleted", async () => {
    const since = new Date(NOW.getTime() - 30 * 24 * HOUR);
    const inTime = await aRecovery({}, { since });
    const tooLate = await aRecovery({}, { since });
    // The feed is read from a little before `since`, and keeps events for 31 days.
    inTime.clock.ms += 24 * HOUR - READ_BEHIND_MS;
    tooLate.clock.ms += 24 * HOUR - READ_BEHIND_MS + 1;
    for (const { publish } of [inTime, tooLate]) await publish(events(3));

    expect([await inTime.receive(1), await tooLate.receive(1)]).toEqual([true, true]);

    expect(await inTime.found()).toMatchObject({ status: "completed", sent: 3 });
    const reason = "Its next events are no longer kept. Start another one, from a later time.";
    expect(await tooLate.found()).toMatchObject({ status: "failed", sent: 0, reason });
  });

  test.each([
    ["deleted", undefined, "The endpoint has been deleted."],
    [
      "inactive",
      anEndpoint({ active: false }),
      "The endpoint is inactive: make it active again, and start another recovery.",
    ],
  ])("fails in plain words when its endpoint is %s", async (_, changed, reason) => {
    const { receive, publish, endpoint, sent, found } = await aRecovery();
    await publish(events(3));
    endpoint.current = changed;

    expect(await receive(1)).toBe(true);

    expect(sent).toEqual([]);
    expect(await found()).toMatchObject({ status: "failed", reason, endedAt: NOW.toISOString() });
    expect(logged()).toMatchObject([{ message: "recovery", status: "failed", reason }]);
  });

  test("that makes no progress ends after five receives, and counts only those without progress", async () => {
    const { receive, found, recoveryId } = await aRecovery({
      queue: { sendAll: async () => Promise.reject(new Error("outage")) },
      feed: {
        read: async () => {
          throw new Error("outage");
        },
      },
    });

    for (let receives = 1; receives <= FUTILE_RECEIVES; receives++) {
      await expect(receive(receives)).rejects.toThrow("outage");
      expect(await found()).toMatchObject({ status: "running" });
    }
    expect(await receive(FUTILE_RECEIVES + 1)).toBe(true);

    expect(await found()).toMatchObject({ status: "failed", reason: STOPPED });
    expect(logged().slice(-1)).toMatchObject([
      { level: "ERROR", message: "recovery ended without progress", recoveryId, receives: 6 },
    ]);
  });

  test("that was received often, but progresses, goes on", async () => {
    const { receive, publish, recoveries, found } = await aRecovery();
    await publish(events(3));
    await recoveries.advance(await found(), { receives: 200 });

    expect(await receive(201)).toBe(true);

    expect(await found()).toMatchObject({ status: "completed", receives: 201 });
  });

  test("fails when the queue refuses a delivery, and repeats the page", async () => {
    const { receive, publish, found } = await aRecovery();
    await publish(events(3));

    const refusing = receive(1, {
      queue: { sendAll: async ([delivery]) => (delivery ? [{ delivery, senderFault: false }] : []) },
    });

    await expect(refusing).rejects.toThrow("refused: 1");
    expect(await found()).toMatchObject({ status: "running", sent: 0 });
  });

  test("sends of an erased candidate only the erasure, and looks each candidate up once", async () => {
    let lookups = 0;
    const find = async () => {
      lookups += 1;
      return { ...ALIVE, isErased: true };
    };
    const { receive, publish, sent, found } = await aRecovery({ lives: { find } });
    const erased = anEvent({ type: "candidate.erased" });
    await publish([anEvent(), anEvent(), erased]);

    await receive(1);

    expect(idsOf(sent)).toEqual([erased.id]);
    expect(await found()).toMatchObject({ found: 3, sent: 1 });
    expect(lookups).toBe(1);
  });

  test("sends only the types that it was started for", async () => {
    const { receive, publish, sent } = await aRecovery({}, { eventTypes: ["candidate.verified"] });
    const verified = anEvent({ type: "candidate.verified" });
    await publish([anEvent(), verified]);

    await receive(1);

    expect(idsOf(sent)).toEqual([verified.id]);
  });

  test.each(["", "{}", "{", JSON.stringify({ orgId: "a", endpointId: "b" })])(
    "is not attempted for the message %j, which is logged",
    async (body) => {
      const { service, sent } = await aRecovery();
      const attributes = { ApproximateReceiveCount: "1" };

      const ended = recover({ body, attributes, messageId: "message-1" } as unknown as SQSRecord, service);

      expect(await ended).toBe(true);
      expect(sent).toEqual([]);
      expect(logged()).toMatchObject([
        { level: "ERROR", message: "unreadable recovery", messageId: "message-1" },
      ]);
    },
  );

  test("is not attempted if it is not stored any more", async () => {
    const { service, sent } = await aRecovery();
    const body = JSON.stringify({ orgId: "a", endpointId: "b", recoveryId: newRecoveryId(runtime) });
    const attributes = { ApproximateReceiveCount: "1" };

    expect(await recover({ body, attributes } as unknown as SQSRecord, service)).toBe(true);

    expect(sent).toEqual([]);
  });
});

describe("the start of a recovery", () => {
  const ago = (ms: number) => new Date(NOW.getTime() - ms);

  test("shows it as running, from its beginning to now, for the types of its endpoint", async () => {
    const { receive, start, recoveryId } = await aRecovery();
    await receive(1);
    const until = new Date(NOW.getTime() + 100 * HOUR);

    const recovery = await start({ until });

    expect(recovery).toEqual({
      id: expect.stringMatching(/^rec_/),
      status: "running",
      found: 0,
      sent: 0,
      since: expect.any(String),
      until: recovery.startedAt,
      eventTypes: EVENT_TYPES,
      startedAt: expect.any(String),
    });
    expect(recovery.id).not.toBe(recoveryId);
  });

  test("takes an end in the past, and types of its own", async () => {
    const { receive, start } = await aRecovery();
    await receive(1);

    const recovery = await start({ since: ago(HOUR), until: ago(1), eventTypes: ["candidate.erased"] });

    expect(recovery).toMatchObject({
      since: ago(HOUR).toISOString(),
      until: ago(1).toISOString(),
      eventTypes: ["candidate.erased"],
    });
  });

  test.each([
    ["now", { since: NOW }],
    ["in the future", { since: new Date(NOW.getTime() + 1) }],
    ["at its end", { since: ago(MINUTE), until: ago(MINUTE) }],
  ])("is refused if it begins %s", async (_when, request) => {
    const { start } = await aRecovery();

    await expect(start(request)).rejects.toMatchObject({
      code: "invalid_request",
      message: "since: a time in the past and before the end of the recovery is expected",
    });
  });

  test("is refused for an inactive endpoint", async () => {
    const { start, endpoint } = await aRecovery();
    endpoint.current = anEndpoint({ active: false });

    await expect(start()).rejects.toMatchObject({
      code: "invalid_request",
      message: "The endpoint is inactive. Send PATCH with active true first.",
    });
  });

  test("keeps it, and which one is the latest, for thirty days", async () => {
    const { endpointId } = await aRecovery();

    const { Items = [] } = await store.client.send(
      new QueryCommand({
        TableName: store.tableName,
        KeyConditionExpression: "pk = :pk AND begins_with(sk, :recovery)",
        ExpressionAttributeValues: { ":pk": `ENDPOINT#${endpointId}`, ":recovery": "RECOVERY" },
      }),
    );

    const thirtyDays = 30 * 24 * HOUR;
    expect(Items.map(({ deleteAfter }) => Number(deleteAfter) * 1_000 - NOW.getTime())).toEqual([
      thirtyDays,
      thirtyDays,
    ]);
  });
});

test.each([newRecoveryId(runtime), "rec_1"])(
  "a recovery %s that the endpoint does not have is not found",
  async (id) => {
    const { recoveries, endpointId } = await aRecovery();

    await expect(recoveries.get(endpointId, id)).rejects.toMatchObject({
      code: "not_found",
      message:
        "The endpoint has no recovery with this id in the last 30 days. Check the id, or start another recovery.",
    });
  },
);

describe("one recovery at a time", () => {
  test("runs per endpoint: of several started at once, one begins", async () => {
    const { start, receive } = await aRecovery();
    await expect(start()).rejects.toMatchObject({ code: "invalid_request" });
    await receive(1);

    const outcomes = await Promise.allSettled([start(), start(), start()]);

    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    const refused = outcomes.filter((outcome) => outcome.status === "rejected");
    expect(refused.map(({ reason }) => reason)).toMatchObject([
      { code: "invalid_request", message: expect.stringContaining("rec_") },
      { code: "invalid_request", message: expect.stringContaining("rec_") },
    ]);
  });

  test("does not wait for one whose message could not be sent", async () => {
    const { start, receive, recoveries, endpointId } = await aRecovery();
    await receive(1);
    let unsent = "";
    const outage: StartRecoveryService["queue"] = {
      send: async ({ recoveryId }) => {
        unsent = recoveryId;
        throw new Error("outage");
      },
    };

    await expect(start({}, outage)).rejects.toThrow("outage");

    expect(await recoveries.get(endpointId, unsent)).toMatchObject({
      status: "failed",
      endedAt: expect.any(String),
      reason: STOPPED,
    });
    await expect(start()).resolves.toMatchObject({ status: "running" });
  });

  test("continues if the queue has its message although the response was lost", async () => {
    const { start, receive, service, recoveries, orgId, endpointId, publish } = await aRecovery();
    await receive(1);
    await publish(events(3));
    let begun: StoredRecovery | undefined;
    const forgetful: StartRecoveryService["queue"] = {
      send: async (message) => {
        const record = { body: JSON.stringify(message), attributes: { ApproximateReceiveCount: "1" } };
        await recover(record as unknown as SQSRecord, service);
        begun = await recoveries.get(endpointId, message.recoveryId);
        throw new Error("response lost");
      },
    };

    const { id } = await start({}, forgetful);

    expect(begun).toMatchObject({ orgId, status: "completed", found: 3 });
    expect(await recoveries.get(endpointId, id)).toEqual(begun);
  });

  test("does not wait for one that has made no progress for an hour, which then ends", async () => {
    const { start, clock, receive, found } = await aRecovery();
    clock.ms += HOUR + 1;

    await expect(start()).resolves.toMatchObject({ status: "running" });
    expect(await receive(1)).toBe(true);

    expect(await found()).toMatchObject({ status: "failed", reason: STOPPED });
  });

  test("gives one up that has begun, and has made no progress for an hour", async () => {
    const { clock, receive, found, recoveries } = await aRecovery();
    await recoveries.advance(await found(), { receives: 1 });
    clock.ms += HOUR + 1;

    expect(await receive(2)).toBe(true);

    expect(await found()).toMatchObject({ status: "failed", reason: STOPPED });
  });

  test("lets one begin that has waited for more than an hour", async () => {
    const { clock, publish, receive, found, sent } = await aRecovery();
    await publish(events(3));
    clock.ms += HOUR + 1;

    expect(await receive(1)).toBe(true);

    expect(await found()).toMatchObject({ status: "completed", sent: 3 });
    expect(sent).toHaveLength(3);
  });

  test("keeps the pace of the one before, whose deliveries may still wait", async () => {
    const { start, receive, publish, recoveries, endpointId, sent } = await aRecovery();
    await publish(events(400));
    await receive(1);
    const last = Math.max(...sent.map(({ dueAt }) => Date.parse(dueAt)));
    const outage = async () => {
      throw new Error("outage");
    };

    await expect(start({}, { send: outage })).rejects.toThrow("outage");
    const { id } = await start();

    expect(Date.parse((await recoveries.get(endpointId, id)).pacedUntil)).toBe(last + INTERVAL_MS);
  });
});
