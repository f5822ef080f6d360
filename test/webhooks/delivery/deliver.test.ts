import fc from "fast-check";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import type { Life } from "#candidates/outbox/candidate-lives";
import type { WebhookEvent } from "#contract/events";
import { deadLetter, deliver } from "#webhooks/delivery/deliver";
import { withoutBody } from "#webhooks/delivery/delivery";
import type { DeliveryService } from "#webhooks/delivery/delivery-service";
import { type AttemptResult, guardedAgent, WebhookClient } from "#webhooks/delivery/webhook-client";
import { AllowedNetworks } from "#webhooks/endpoints/delivery-address";
import type { LaterLane } from "#webhooks/endpoints/lane";
import { signatureOf } from "#webhooks/endpoints/signature";
import type { StoredEndpoint } from "#webhooks/endpoints/stored-endpoint";
import { capturedLogs } from "../../builders/captured-logs.ts";
import { aDelivery, anEndpoint, anEvent, NOW, SLOWEST_DELIVERY_MS } from "../builders.ts";
import { anHttpReceiver, closeReceivers } from "../receivers.ts";
import {
  ALIVE,
  aService,
  carrying,
  carryingNotice,
  DAY,
  failures,
  fromRetryQueue,
  responded,
  SECOND,
  SECRET,
} from "./delivery-service.ts";

const logs = capturedLogs();
afterEach(closeReceivers);

describe("an event about an endpoint", () => {
  test("is sent with the same bytes at every attempt, and concerns no candidate", async () => {
    const { service, register, run } = aService((attempt) => responded(attempt < 9 ? 500 : 204));
    const { id: endpointId } = register();
    const delivery = aDelivery({ endpointId, ...carryingNotice() });

    await run(delivery);

    expect(service.client.post).toHaveBeenCalledTimes(9);
    expect(new Set(service.client.post.mock.calls.map(([, , body]) => body))).toEqual(
      new Set([delivery.body]),
    );
    expect(service.lives.find).not.toHaveBeenCalled();
  });

  test("counts as a failure of its receiver like any other", async () => {
    const { service, register } = aService(responded(500));
    const { id: endpointId } = register();

    await deliver(aDelivery({ endpointId, ...carryingNotice() }), service);

    expect(service.health.failed).toHaveBeenCalledOnce();
  });
});

describe("a delivery attempt", () => {
  test("has exactly the headers that the contract and the decisions specify", async () => {
    const { service, register } = aService();
    const endpoint = register();
    const delivery = aDelivery({ endpointId: endpoint.id, attempt: 3 });

    await deliver(delivery, service);

    expect(service.client.post).toHaveBeenCalledExactlyOnceWith(
      endpoint.url,
      {
        "Content-Type": "application/json",
        "User-Agent": expect.stringMatching(/^\w+\/\d+\.\d+\.\d+/),
        "X-RR-Signature": signatureOf(delivery.body, SECRET),
        "X-RR-Event-Id": delivery.eventId,
        "X-RR-Event-Type": delivery.eventType,
        "X-RR-Delivery-Attempt": "3",
        "webhook-id": delivery.eventId,
        "webhook-timestamp": String(NOW.getTime() / 1_000),
        "webhook-signature": expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/),
      },
      delivery.body,
      expect.objectContaining({ timeout: 2_000 }),
    );
    expect(JSON.parse(delivery.body)).toMatchObject({ id: delivery.eventId });
  });

  test.each([
    ["responds fast", {}, ["side", "retry", "retry"]],
    ["fails", { failingSince: NOW.toISOString() }, ["side", "retry", "retry"]],
    ["is slow", { slowSince: NOW.toISOString() }, ["retry", "retry", "retry"]],
  ])(
    "that fails is repeated from the side queue after seconds and from the retry queue later, if its endpoint %s",
    async (_how, health, lanes) => {
      const { service, register, sent } = aService(responded(500));
      const delivery = aDelivery({ endpointId: register(health).id });
      const lane = lanes[0] as LaterLane;

      await deliver(delivery, { ...service, lane });
      await deliver({ ...delivery, attempt: 2 }, { ...service, lane });
      await deliver({ ...delivery, attempt: 4 }, { ...service, lane });

      expect(sent.map((message) => message.lane)).toEqual(lanes);
    },
  );

  test.each([200, 201, 202, 204, 226, 299])("that gets a %i is the last", async (statusCode) => {
    const { service, register, sent, dead, logged } = aService(responded(statusCode));
    const delivery = aDelivery({ endpointId: register().id });

    await deliver(delivery, service);

    expect([sent, dead]).toEqual([[], []]);
    expect(logged()).toEqual(["delivered"]);
    expect(service.log.record).toHaveBeenCalledWith(delivery, {
      status: "delivered",
      lastAttempt: { attempt: 1, at: NOW.toISOString(), durationMs: 12, statusCode },
    });
  });

  test.each([
    ...[100, 199, 300, 301, 302, 304, 307, 308, 400, 401, 403, 404, 409, 422, 429, 500, 502, 503, 504].map(
      (statusCode) => [String(statusCode), responded(statusCode)] as const,
    ),
    ...(
      [
        "timeout",
        "connection_failed",
        "invalid_response",
        "name_not_resolved",
        "address_refused",
        "tls_failed",
      ] as const
    ).map((failure) => [failure, { durationMs: 10_000, failure }] as const),
  ])("that ends with %s is followed by a retry", async (_what, result) => {
    const { service, register, sent, dead } = aService(result);
    const delivery = aDelivery({ endpointId: register().id });

    await deliver(delivery, fromRetryQueue(service));

    const dueAt = new Date(NOW.getTime() + 5 * SECOND).toISOString();
    expect(sent.map((message) => message.delivery)).toEqual([
      { ...withoutBody(delivery), attempt: 2, dueAt },
    ]);
    expect(dead).toEqual([]);
    const { durationMs, ...outcome } = { ...result, retryAfter: undefined };
    expect(service.log.record).toHaveBeenCalledWith(delivery, {
      status: "pending",
      nextAttemptAt: dueAt,
      lastAttempt: { attempt: 1, at: NOW.toISOString(), durationMs, ...outcome },
    });
  });

  test("is made only when it is due if its message arrives early", async () => {
    const { service, register, sent, clock } = aService();
    const delivery = aDelivery({
      endpointId: register().id,
      dueAt: new Date(NOW.getTime() + DAY).toISOString(),
    });

    await deliver(delivery, service);

    expect(service.client.post).not.toHaveBeenCalled();
    expect(service.log.record).not.toHaveBeenCalled();
    expect(sent.map((message) => message.delivery)).toEqual([withoutBody(delivery)]);

    clock.ms += DAY;
    await deliver(delivery, service);

    expect(service.client.post).toHaveBeenCalledOnce();
  });
});

describe("a delivery message that arrives early", () => {
  const early = (ms: number) => new Date(NOW.getTime() + ms).toISOString();

  test.each([1, 200, 500])("by %i ms is attempted at once, because clocks differ", async (ms) => {
    const { service, register, sent } = aService();

    await deliver(aDelivery({ endpointId: register().id, dueAt: early(ms) }), service);

    expect(service.client.post).toHaveBeenCalledOnce();
    expect(sent).toEqual([]);
  });

  test("by 501 ms is delayed until it is due, in the retry queue", async () => {
    const { service, register, sent } = aService();

    const outcome = await deliver(aDelivery({ endpointId: register().id, dueAt: early(501) }), service);

    expect(outcome).toEqual({ status: "pending", nextAttemptAt: early(501) });
    expect(service.client.post).not.toHaveBeenCalled();
    expect(sent.map((message) => message.lane)).toEqual(["retry"]);
  });
});

describe("a delivery that waits", () => {
  const reasons = [{ code: "other", message: "ü 😀" }];
  const rejected = anEvent({
    type: "candidate.validation_failed",
    sequence: 4,
    data: { ...anEvent().data, status: "validation_failed", reasons },
  } as Partial<WebhookEvent>);
  const others = [
    { sequence: 2, occurredAt: NOW.toISOString(), reasons: [{ code: "other", message: "earlier" }] },
  ];
  const life: Life = {
    ...ALIVE,
    rejections: [...others, { sequence: 4, occurredAt: NOW.toISOString(), reasons }],
  };

  test("holds neither externalId nor reasons, as a retry, as a dead letter and in its record", async () => {
    const { service, register, sent, dead } = aService(responded(500));
    const endpointId = register().id;

    await deliver(aDelivery({ endpointId, ...carrying(rejected) }), service);
    await deliver(aDelivery({ endpointId, ...carrying(rejected), attempt: 11 }), fromRetryQueue(service));
    await deadLetter(aDelivery({ endpointId, ...carrying(rejected), eventId: "evt_other" }), service);

    expect(sent).toHaveLength(1);
    expect(dead).toHaveLength(2);
    expect(JSON.stringify([sent, dead])).not.toMatch(/ext-1|ü 😀|externalId|reasons/);
  });

  test("posts the same bytes as its first attempt, from the record of its candidate", async () => {
    const { service, register, run } = aService((attempt) => responded(attempt < 3 ? 500 : 204));
    service.lives.find.mockResolvedValue(life);
    const delivery = aDelivery({ endpointId: register().id, ...carrying(rejected) });

    await run(delivery);

    expect(service.client.post.mock.calls.map(([, , body]) => body)).toEqual(Array(3).fill(delivery.body));
  });

  test("holds them no longer when it moves to the retry queue; a sample and an erasure keep their body", async () => {
    const { service, register, sent } = aService();
    const endpointId = register({ slowSince: NOW.toISOString() }).id;
    const delivery = aDelivery({ endpointId, ...carrying(rejected) });
    const sample = aDelivery({ endpointId, ...carrying({ sample: true }), sample: true });
    const erasure = aDelivery({ endpointId, eventType: "candidate.erased" });

    for (const each of [delivery, sample, erasure]) await deliver(each, service);

    expect(sent.map((message) => message.delivery)).toEqual([withoutBody(delivery), sample, erasure]);
    expect(sent[0]?.delivery).not.toHaveProperty("body");
  });

  test("posts no reasons if the record has them no longer", async () => {
    const { service, register } = aService();
    service.lives.find.mockResolvedValue({ ...ALIVE, rejections: others });
    const delivery = withoutBody(aDelivery({ endpointId: register().id, attempt: 2, ...carrying(rejected) }));

    await deliver(delivery, fromRetryQueue(service));

    const [[, , body = ""] = []] = service.client.post.mock.calls;
    expect(JSON.parse(body)).toEqual({ ...rejected, data: { ...rejected.data, reasons: [] } });
  });

  test("without a body posts the same bytes, even on a first attempt soon after its event", async () => {
    const { service, register } = aService();
    const delivery = aDelivery({ endpointId: register().id });

    await deliver(withoutBody(delivery), service);

    expect(service.client.post.mock.calls.map(([, , body]) => body)).toEqual([delivery.body]);
  });

  test("and was moved to the retry queue by SQS, with its body, posts that body", async () => {
    const { service, register } = aService();
    const delivery = aDelivery({ endpointId: register().id });

    await deliver(delivery, fromRetryQueue(service));

    expect(service.client.post.mock.calls.map(([, , body]) => body)).toEqual([delivery.body]);
    expect(service.lives.find).toHaveBeenCalledOnce();
  });
});

describe("the slowest possible delivery", () => {
  /**
   * An AWS request that needs its three attempts of 2 s, with the SDK's longest backoff for throttling between them.
   */
  const AWS_MS = 3 * 2_000 + 500 + 1_000;
  const ONCE_MS = 6_000;
  const POST_MS = 10_000;

  test("ends when the function's timeout assumes, to a receiver that hangs and to one that is set inactive", async () => {
    const failingSince = new Date(NOW.getTime() - 6 * DAY).toISOString();

    const hanging = await slowest({});
    const inactive = await slowest({ ...failures(4, 0, 1, 2), failingSince });

    // test/infra/webhook-delivery.test.ts holds the function's timeout against it.
    expect(Math.max(hanging, inactive)).toBe(SLOWEST_DELIVERY_MS);
  });

  /** How long a retry takes, in ms, whose requests all take as long as they may. */
  async function slowest(health: Partial<StoredEndpoint>): Promise<number> {
    vi.useFakeTimers({ now: NOW });
    onTestFinished(() => void vi.useRealTimers());
    const { service, register } = aService({ durationMs: POST_MS, failure: "timeout" });
    const taking = (ms: number, work: { getMockImplementation(): unknown; mockImplementation: unknown }) => {
      const quick = work.getMockImplementation() as (...args: unknown[]) => unknown;
      (work.mockImplementation as (slow: typeof quick) => void)(async (...args) => {
        await new Promise((resolve) => setTimeout(resolve, ms));
        return quick(...args);
      });
    };
    for (const request of [
      service.endpoints.find,
      service.lives.find,
      service.log.find,
      service.signingSecrets.open,
    ]) {
      taking(AWS_MS, request);
    }
    // What moves an endpoint to the other queue or makes it inactive raises its version, too.
    taking(health.failingSince ? AWS_MS : 2 * AWS_MS, service.health.failed);
    taking(2 * AWS_MS, service.health.deactivate);
    // A delivered record that stays delivered takes two requests.
    taking(2 * AWS_MS, service.log.record);
    // It may be stored in the table.
    taking(AWS_MS, service.retries.send);
    taking(ONCE_MS, service.deadLetters.send);
    taking(POST_MS, service.client.post);

    const retry = aDelivery({ endpointId: register(health).id, attempt: 2 });
    const ended = deliver(retry, fromRetryQueue(service)).then(() => Date.now());
    await vi.runAllTimersAsync();
    return (await ended) - NOW.getTime();
  }
});

describe("a delivery that exhausts its retries", () => {
  test("is dead-lettered after eleven attempts with the same id and bytes in about 76 hours", async () => {
    const { service, register, run, dead, clock, logged } = aService(responded(500));
    const times: number[] = [];
    service.client.post.mockImplementation(async () => {
      times.push((clock.ms - NOW.getTime()) / SECOND);
      return responded(500);
    });
    const delivery = aDelivery({ endpointId: register().id });

    await run(delivery);

    const waits = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    expect(times[0]).toBe(0);
    expect(waits).toEqual([5, 60, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]);
    const posts = service.client.post.mock.calls;
    expect(posts.map(([, headers]) => headers["X-RR-Delivery-Attempt"])).toEqual(
      Array.from({ length: 11 }, (_, index) => String(index + 1)),
    );
    expect(new Set(posts.map(([, headers]) => headers["X-RR-Event-Id"]))).toEqual(
      new Set([delivery.eventId]),
    );
    expect(new Set(posts.map(([, , body]) => body))).toEqual(new Set([delivery.body]));
    expect(new Set(posts.map(([, headers]) => headers["X-RR-Signature"])).size).toBe(1);
    expect(dead).toEqual([
      { ...withoutBody(delivery), attempt: 11, dueAt: new Date(clock.ms).toISOString() },
    ]);
    expect(logged()).toEqual([...Array.from({ length: 10 }, () => "pending"), "failed"]);
  });

  test("has a backoff with a jitter of a fifth either way", async () => {
    await fc.assert(
      fc.asyncProperty(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), async (share) => {
        const { service, register, sent, clock } = aService(responded(500));

        await deliver(aDelivery({ endpointId: register().id, attempt: 2 }), {
          ...service,
          random: () => share,
        });

        const wait = Date.parse(sent[0]?.delivery.dueAt ?? "") - clock.ms;
        expect(wait).toBeGreaterThanOrEqual(48 * SECOND);
        expect(wait).toBeLessThanOrEqual(72 * SECOND);
      }),
    );
  });

  test.each([1, 4, 8])("stops with a success after attempt %i", async (failures) => {
    const { service, register, run, dead, logged } = aService((attempt) =>
      responded(attempt > failures ? 200 : 500),
    );

    await run(aDelivery({ endpointId: register().id }));

    expect(service.client.post).toHaveBeenCalledTimes(failures + 1);
    expect(dead).toEqual([]);
    expect(logged().at(-1)).toBe("delivered");
  });

  test("reaches a real receiver with the same bytes and a valid signature each time", async () => {
    const receiver = await anHttpReceiver((_request, index) => ({ status: index < 2 ? 500 : 200 }));
    const client = new WebhookClient(guardedAgent(AllowedNetworks.parse("127.0.0.0/8")));
    onTestFinished(() => client.close());
    const { service, register, run } = aService();
    service.client.post.mockImplementation((...post) => client.post(...post));
    const endpoint = register({ url: `http://127.0.0.1:${receiver.port}/hooks` });
    const delivery = aDelivery({ endpointId: endpoint.id });

    await run(delivery);

    expect(receiver.requests).toHaveLength(3);
    for (const { body, headers } of receiver.requests) {
      expect(body).toEqual(Buffer.from(delivery.body, "utf8"));
      expect(headers["X-RR-Signature"]).toBe(signatureOf(body.toString("utf8"), SECRET));
      expect(headers["X-RR-Event-Id"]).toBe(delivery.eventId);
    }
    expect(receiver.requests.map(({ headers }) => headers["X-RR-Delivery-Attempt"])).toEqual(["1", "2", "3"]);
  });
});

describe("a replaced signing secret", () => {
  test("signs in its own header until the moment it expires", async () => {
    const { service, register, clock } = aService();
    const endpoint = register({
      previousSealedSecret: "1.previous",
      previousSecretExpiresAt: new Date(NOW.getTime() + DAY).toISOString(),
    });
    vi.mocked<DeliveryService["signingSecrets"]["open"]>(service.signingSecrets.open).mockImplementation(
      async ({ sealedSecret }) => (sealedSecret === endpoint.sealedSecret ? SECRET : "whsec_previous"),
    );
    const delivery = aDelivery({ endpointId: endpoint.id });
    const headersAfter = async (ms: number) => {
      clock.ms = NOW.getTime() + ms;
      await deliver(delivery, service);
      return service.client.post.mock.lastCall?.[1];
    };

    const signature = signatureOf(delivery.body, SECRET);
    for (const ms of [0, DAY - 1]) {
      await expect(headersAfter(ms)).resolves.toMatchObject({
        "X-RR-Signature": signature,
        "X-RR-Signature-Previous": signatureOf(delivery.body, "whsec_previous"),
      });
    }
    const expired = await headersAfter(DAY);
    expect(expired?.["X-RR-Signature"]).toBe(signature);
    expect(expired).not.toHaveProperty("X-RR-Signature-Previous");
  });
});

describe("Retry-After", () => {
  const dueAfter = async (result: AttemptResult, attempt = 1) => {
    const { service, register, sent, clock } = aService(result);
    await deliver(aDelivery({ endpointId: register().id, attempt }), service);
    return (Date.parse(sent[0]?.delivery.dueAt ?? "") - clock.ms) / SECOND;
  };

  test.each([429, 503])("is honoured with a %i", async (statusCode) => {
    await expect(dueAfter(responded(statusCode, 3_600 * SECOND))).resolves.toBe(3_600);
  });

  test.each([301, 400, 408, 413, 500, 502, 504])("is ignored with a %i", async (statusCode) => {
    await expect(dueAfter(responded(statusCode, 3_600 * SECOND))).resolves.toBe(5);
  });

  test("extends the wait to at most 24 hours and never shortens it", async () => {
    await expect(dueAfter(responded(429, 7 * DAY))).resolves.toBe(86_400);
    await expect(dueAfter(responded(429, 1 * SECOND), 3)).resolves.toBe(300);
  });

  test("counts as an attempt", async () => {
    const { service, register, sent } = aService(responded(429, 3_600 * SECOND));

    await deliver(aDelivery({ endpointId: register().id, attempt: 2 }), fromRetryQueue(service));

    expect(sent.map((message) => message.delivery.attempt)).toEqual([3]);
  });

  test("adds no attempt after the eleventh", async () => {
    const { service, register, sent, dead } = aService(responded(503, 60 * SECOND));

    await deliver(aDelivery({ endpointId: register().id, attempt: 11 }), service);

    expect(sent).toEqual([]);
    expect(dead).toHaveLength(1);
  });
});

describe("a sample event", () => {
  const sample = (endpoint: StoredEndpoint) => aDelivery({ endpointId: endpoint.id, sample: true });

  test("is delivered even to an inactive endpoint, signed like any event", async () => {
    const { service, register, logged } = aService();
    const delivery = sample(register({ active: false }));

    await deliver(delivery, service);

    const [[, headers] = []] = service.client.post.mock.calls;
    expect(headers?.["X-RR-Signature"]).toBe(signatureOf(delivery.body, SECRET));
    expect(logged()).toEqual(["delivered"]);
  });

  test.each([
    responded(500),
    responded(429, 1),
    responded(410),
    { durationMs: 1, failure: "timeout" } as const,
  ])("is attempted once, with the outcome %j", async (result) => {
    const { service, register, sent, dead, logged, stored } = aService(result);
    const endpoint = register();

    await deliver(sample(endpoint), fromRetryQueue(service));

    expect(service.client.post).toHaveBeenCalledOnce();
    expect([sent, dead]).toEqual([[], []]);
    expect(logged()).toEqual(["failed"]);
    // It is no event that the endpoint failed to take.
    expect(stored(endpoint.id)).toEqual(endpoint);
  });

  test("causes no lookup of a candidate, however late it is", async () => {
    const { service, register } = aService();
    service.lives.find.mockResolvedValue(undefined);
    const late = carrying({ occurredAt: new Date(NOW.getTime() - DAY).toISOString() });

    await deliver({ ...sample(register()), ...late }, service);

    expect(service.client.post).toHaveBeenCalledOnce();
    expect(service.lives.find).not.toHaveBeenCalled();
  });

  test("to a deleted endpoint is dropped", async () => {
    const { service, logged } = aService();

    await deliver(sample(anEndpoint()), service);

    expect(service.client.post).not.toHaveBeenCalled();
    expect(logged()).toEqual(["dropped"]);
  });
});

test("the retry of a delivery is queued before the attempt is logged", async () => {
  const { service, register } = aService(responded(500));

  await deliver(aDelivery({ endpointId: register().id }), service);

  const [sentFirst = 0] = service.retries.send.mock.invocationCallOrder;
  const [loggedFirst = 0] = service.log.record.mock.invocationCallOrder;
  expect(sentFirst).toBeLessThan(loggedFirst);
});

test("the logs of a delivery contain ids and outcomes, and neither the body nor the secret", async () => {
  const { service, register } = aService(responded(500));
  service.log.record.mockRejectedValue(new Error("outage"));
  const delivery = aDelivery({ endpointId: register().id });

  await deliver(delivery, service);

  for (const told of [delivery.eventId, delivery.endpointId, "pending", "500", "outage"]) {
    expect(logs.text()).toContain(told);
  }
  expect(logs.text()).not.toMatch(/ext-1|whsec_|receiver\.example\.com|sha256=/);
});
