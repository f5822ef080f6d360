import type { SQSRecord } from "aws-lambda";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { newEndpointId } from "#contract/identifiers";
import type { Recovery, RecoveryRequest } from "#contract/recovery";
import type { WebhookEndpointUpdate } from "#contract/webhook-endpoint";
import { runtime } from "#runtime/runtime";
import { DeliveryLog } from "#webhooks/delivery/delivery-log";
import { EndpointHealthRepository } from "#webhooks/endpoints/endpoint-health-repository";
import { toWebhookEndpoint } from "#webhooks/endpoints/stored-endpoint";
import { WebhookEndpointRepository } from "#webhooks/endpoints/webhook-endpoint-repository";
import { EventFeed } from "#webhooks/feed/event-feed";
import { recover } from "#webhooks/recoveries/recover";
import { RecoveryRepository } from "#webhooks/recoveries/recovery-repository";
import { recoverMissed, startRecovery } from "#webhooks/recoveries/start-recovery";
import { runtimeAt } from "../../builders/runtime.ts";
import { aStore, type Store } from "../../candidates/candidate-store.ts";
import { NOW } from "../builders.ts";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const TYPES = ["candidate.received", "candidate.verified"] as const;

let store: Store;
beforeAll(async () => {
  store = await aStore(inject("dynamoDbEndpoint"));
});
afterAll(() => store?.close());

/** When a recovery must begin: the event that began it fired a little earlier. */
const aMinuteBefore = (time: string) => new Date(Date.parse(time) - MINUTE).toISOString();

/** An active endpoint of an organisation of its own, and a clock that passes a minute with each change. */
async function anEndpointInTime() {
  const id = newEndpointId(runtime);
  const orgId = `org-${id}`;
  const clock = { ms: NOW.getTime() };
  const now = () => new Date(clock.ms);
  const { client, tableName } = store;
  const endpoints = new WebhookEndpointRepository(client, tableName, now);
  const health = new EndpointHealthRepository(client, tableName, {
    ...runtimeAt(now),
    schedule: "standard",
  });
  const recoveries = new RecoveryRepository(client, tableName, now);
  await endpoints.register(orgId, id, { url: "https://a.example.com", eventTypes: [...TYPES] }, "1.sealed");
  const read = () => endpoints.get(orgId, id);
  /** Makes a change a minute later, and gives its time. */
  const later = async (change: () => Promise<unknown>) => {
    clock.ms += MINUTE;
    const at = now().toISOString();
    await change();
    return at;
  };
  const starting = {
    ...{ endpoints, recoveries, now, retentionDays: 30, randomBytes: runtime.randomBytes },
    queue: { send: async () => {} },
  };
  /** Receives the message of a recovery once, and gives what became of it. */
  const run = async ({ id: recoveryId }: Recovery, afterItReadTheEndpoint = async () => {}) => {
    const message = {
      body: JSON.stringify({ orgId, endpointId: id, recoveryId }),
      attributes: { ApproximateReceiveCount: "1" },
    };
    await recover(message as unknown as SQSRecord, {
      ...{ recoveries, now, retentionDays: 30 },
      endpoints: {
        find: async () => {
          const endpoint = await read();
          await afterItReadTheEndpoint();
          return endpoint;
        },
      },
      feed: new EventFeed(client, tableName, 30, { ...runtime, now, wait: () => new Promise(() => {}) }),
      log: new DeliveryLog(client, tableName, now),
      lives: { find: async () => undefined },
      queue: { sendAll: async () => [] },
      wait: async (ms) => {
        clock.ms += ms;
      },
    });
    return recoveries.get(id, recoveryId);
  };
  const update = (change: WebhookEndpointUpdate) => later(() => endpoints.update(orgId, id, change));
  return {
    ...{ clock, health, later, read, run, update },
    off: () => update({ active: false }),
    on: () => update({ active: true }),
    missedSince: async () => (await read()).missedSince,
    recoverMissed: (request: Omit<RecoveryRequest, "since"> = {}) =>
      recoverMissed(orgId, id, request, starting),
    recoverSince: (since: string, request: Partial<RecoveryRequest> = {}) =>
      startRecovery(orgId, id, { since: new Date(since), ...request }, starting),
  };
}

type InTime = Awaited<ReturnType<typeof anEndpointInTime>>;

/** An endpoint that was inactive for a minute, and since when. */
async function anEndpointThatMissed() {
  const endpoint = await anEndpointInTime();
  const since = await endpoint.off();
  await endpoint.on();
  return { ...endpoint, since };
}

describe("what an endpoint has missed", () => {
  test("begins when it is first set inactive, and ends with the recovery that completes", async () => {
    const { off, on, missedSince, recoverMissed: start, run } = await anEndpointInTime();
    expect(await missedSince()).toBeUndefined();
    expect(await start()).toBeUndefined();

    const first = await off();
    await on();
    await off();
    await on();
    expect(await missedSince()).toBe(first);

    const started = (await start()) as Recovery;
    const whileItRuns: unknown[] = [];
    const ended = await run(started, async () => void whileItRuns.push(await missedSince()));
    expect(ended).toMatchObject({ status: "completed" });
    expect(whileItRuns).toEqual([first, first]);
    expect(await missedSince()).toBeUndefined();

    expect(await off()).toBe(await missedSince());
  });

  test("begins with the failures of an endpoint that is set inactive by request or because it keeps failing", async () => {
    for (const stop of [
      async ({ off }: InTime) => off(),
      async ({ health, read }: InTime, since: string) => health.deactivate(await read(), "failing", since),
    ]) {
      const endpoint = await anEndpointInTime();
      const failingSince = await endpoint.later(async () => endpoint.health.failed(await endpoint.read()));
      await endpoint.later(() => stop(endpoint, failingSince));
      await endpoint.on();

      expect(await endpoint.missedSince()).toBe(failingSince);
    }
  });

  test("begins with the event that a 410 refused", async () => {
    const { clock, health, read, on, later, missedSince } = await anEndpointInTime();
    const occurredAt = new Date(clock.ms - DAY).toISOString();

    await later(async () => health.deactivate(await read(), "gone", occurredAt));
    await on();

    expect(await missedSince()).toBe(occurredAt);
  });

  test("is no member of the endpoint or the recovery that integrators see", async () => {
    const { read, recoverMissed: start } = await anEndpointThatMissed();

    expect(toWebhookEndpoint(await read())).not.toHaveProperty("missedSince");
    expect(await start()).not.toHaveProperty("missedSince");
  });

  test.each<[string, (endpoint: InTime & { since: string }) => Promise<Recovery>]>([
    [
      "begins a minute before it was set inactive",
      ({ recoverSince, since }) => recoverSince(aMinuteBefore(since)),
    ],
    [
      "is also of other types",
      ({ recoverSince, since }) =>
        recoverSince(aMinuteBefore(since), { eventTypes: [...TYPES, "candidate.erased"] }),
    ],
    [
      "begins with the oldest event that is kept",
      ({ clock, recoverSince }) => {
        clock.ms += 40 * DAY;
        return recoverSince(new Date(clock.ms - 30 * DAY).toISOString());
      },
    ],
  ])("ends with a recovery that %s", async (_what, start) => {
    const endpoint = await anEndpointThatMissed();

    await endpoint.run(await start(endpoint));

    expect(await endpoint.missedSince()).toBeUndefined();
  });

  test.each<[string, (endpoint: InTime & { since: string }) => Promise<unknown>]>([
    [
      "fails",
      async ({ recoverSince, since, off, on, run }) => {
        const started = await recoverSince(aMinuteBefore(since));
        await off();
        const { status } = await run(started);
        await on();
        expect(status).toBe("failed");
      },
    ],
    [
      "begins later",
      async ({ recoverSince, since, run }) =>
        run(await recoverSince(new Date(Date.parse(aMinuteBefore(since)) + 1).toISOString())),
    ],
    [
      "is of other types",
      async ({ recoverSince, since, run }) =>
        run(await recoverSince(aMinuteBefore(since), { eventTypes: ["candidate.received"] })),
    ],
    [
      "ends before the endpoint became active",
      async ({ recoverSince, since, run }) =>
        run(await recoverSince(aMinuteBefore(since), { until: new Date(Date.parse(since) + 1) })),
    ],
    [
      "completes although the endpoint was inactive in between",
      async ({ recoverSince, since, run, later, off, on }) => {
        const started = await recoverSince(aMinuteBefore(since));
        await later(() => run(started, async () => void (await off().then(on))));
      },
    ],
    [
      "completes when the service has just set the endpoint inactive",
      async ({ recoverSince, since, run, later, health, read }) => {
        const started = await recoverSince(aMinuteBefore(since));
        await later(() =>
          run(started, async () => void (await health.deactivate(await read(), "gone", since))),
        );
      },
    ],
  ])("stays after a recovery that %s", async (_what, recoverPart) => {
    const endpoint = await anEndpointThatMissed();

    await recoverPart(endpoint);

    expect(await endpoint.missedSince()).toBe(endpoint.since);
  });

  test("is earlier once an event of before gets the endpoint a 410", async () => {
    const { health, read, since, missedSince } = await anEndpointThatMissed();
    const before = new Date(Date.parse(since) - DAY).toISOString();
    const after = new Date(Date.parse(since) + DAY).toISOString();

    await health.deactivate(await read(), "gone", before);
    expect(await missedSince()).toBe(before);

    const another = await anEndpointThatMissed();
    await another.health.deactivate(await another.read(), "gone", after);
    expect(await another.missedSince()).toBe(another.since);
  });

  test("fires no event again when it ends", async () => {
    const { health, read, later, clock, recoverMissed: start, run } = await anEndpointThatMissed();
    await later(async () => health.failed(await read()));
    clock.ms += 2 * DAY;
    await health.failed(await read());
    expect(await read()).toHaveProperty("event");

    await run((await start()) as Recovery);

    expect(await read()).not.toHaveProperty("event");
  });
});

describe("a recovery of what an endpoint has missed", () => {
  test("begins a minute earlier, since an attempt fails after its event fired", async () => {
    const { since, recoverMissed: start } = await anEndpointThatMissed();

    expect(await start()).toMatchObject({ since: new Date(Date.parse(since) - MINUTE).toISOString() });
  });

  test("begins with the oldest event that is kept, if the endpoint has missed older ones", async () => {
    const { clock, recoverMissed: start } = await anEndpointThatMissed();
    clock.ms += 40 * DAY;

    expect(await start()).toMatchObject({ since: new Date(clock.ms - 30 * DAY).toISOString() });
  });

  test("is refused if it ends where it begins, without naming a since that nobody gave", async () => {
    const { since, recoverMissed: start } = await anEndpointThatMissed();
    const beginning = aMinuteBefore(since);

    await expect(start({ until: new Date(beginning) })).rejects.toMatchObject({
      code: "invalid_request",
      message: `until: a time after ${beginning} is expected; for an earlier one, set since=<time> too`,
    });
    expect(await start({ until: new Date(Date.parse(beginning) + 1) })).toMatchObject({ since: beginning });
  });

  test("is refused while the endpoint is inactive", async () => {
    const { off, recoverMissed: start } = await anEndpointInTime();
    await off();

    await expect(start()).rejects.toMatchObject({
      message: "The endpoint is inactive. Send PATCH with active true first.",
    });
  });
});
