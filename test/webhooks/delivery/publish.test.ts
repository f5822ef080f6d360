import { SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import type { DynamoDBDocumentClient, PutCommand } from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { mockClient } from "aws-sdk-client-mock";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { stagedIdOf } from "#candidates/handles";
import { type OutboxRecord, readOutbox } from "#candidates/outbox/outbox";
import { parseCandidateKey } from "#candidates/store/item/candidate-key";
import type { WebhookEvent } from "#contract/events";
import { runtime } from "#runtime/runtime";
import type { Delivery } from "#webhooks/delivery/delivery";
import type { Refusal } from "#webhooks/delivery/delivery-queue";
import { publish } from "#webhooks/delivery/publish";
import { UnreadableEvents } from "#webhooks/delivery/unreadable-events";
import type { StoredEndpoint } from "#webhooks/endpoints/stored-endpoint";
import { EventFeed } from "#webhooks/feed/event-feed";
import { packEvents } from "#webhooks/feed/feed-item";
import { RecentIds } from "#webhooks/feed/recent-ids";
import { capturedLogs } from "../../builders/captured-logs.ts";
import { anEndpoint, anEndpointOutboxRecord, anOutboxRecord, NOW, SLOWEST_BATCH_MS } from "../builders.ts";

const logs = capturedLogs();
const lines = () => logs.lines().map((line) => JSON.parse(line) as Record<string, unknown>);
/** The lines by which a person finds what failed (docs/operations.md). */
const logged = () => lines().filter(({ level }) => level !== "INFO");
/** The lines that show which events were published, and to how many endpoints. */
const events = () => lines().filter(({ message }) => message === "event");

/** What SQS takes (Amazon SQS API, SendMessage, "MessageBody"). */
const SQS_CARRIES = /^[\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]+$/u;

/** What publishing stands on; `registered` are the endpoints of all organisations. */
function aService(...registered: StoredEndpoint[]) {
  const sent: Delivery[] = [];
  /** Those of them that wait in the side queue and in the retry queue. */
  const aside: Delivery[] = [];
  const retried: Delivery[] = [];
  /** Which of the messages the queue refuses for now, and which it finds fault with. */
  const refused: number[] = [];
  const faulty: number[] = [];
  const sendAll = async (deliveries: readonly Delivery[]): Promise<Refusal[]> => {
    sent.push(...deliveries);
    return [...refused, ...faulty].flatMap((index) => {
      const delivery = deliveries[index];
      return delivery ? [{ delivery, senderFault: faulty.includes(index) }] : [];
    });
  };
  /** What the event feed holds, by event id. */
  const inFeed: string[] = [];
  const service = {
    feed: {
      append: vi.fn(async (_orgId: string, events: readonly WebhookEvent[]) => {
        inFeed.push(...events.map(({ id }) => id));
      }),
      settled: vi.fn(async () => {}),
    },
    endpoints: {
      list: vi.fn(async (orgId: string) => registered.filter((endpoint) => endpoint.orgId === orgId)),
    },
    queues: {
      delivery: { sendAll },
      side: {
        sendAll: (deliveries: readonly Delivery[]) => {
          aside.push(...deliveries);
          return sendAll(deliveries);
        },
      },
      retry: {
        sendAll: (deliveries: readonly Delivery[]) => {
          retried.push(...deliveries);
          return sendAll(deliveries);
        },
      },
    },
    unreadable: { park: vi.fn(async (_record: OutboxRecord) => {}) },
    // A process that remembers nothing, as a new one does.
    published: { has: () => false, add: () => {} },
    now: () => NOW,
    wait: runtime.wait,
  };
  return { service, inFeed, sent, aside, retried, refused, faulty };
}

/** The ids of an organisation's events. */
function eventIdsOf(orgId: string, records: readonly OutboxRecord[]): string[] {
  const fired = records.map(readOutbox).filter((each) => each.orgId === orgId);
  return fired.map(({ event }) => event.id);
}

const unreadable = (sequenceNumber = "7") =>
  anOutboxRecord({ sequenceNumber, attributes: { status: "unheard-of" } });

describe("the event feed", () => {
  test("holds an event before it is sent to anyone, subscribed or not", async () => {
    const { service, inFeed, sent } = aService();
    const record = anOutboxRecord();

    await publish([record], service);

    expect(inFeed).toEqual([readOutbox(record).event.id]);
    expect(sent).toEqual([]);
  });

  test("without which nothing is sent, and the batch is repeated", async () => {
    const { service, sent } = aService(anEndpoint());
    service.feed.append.mockRejectedValueOnce(new Error("throttled"));
    const records = [unreadable("10"), anOutboxRecord({ sequenceNumber: "20" }), anOutboxRecord()];

    await expect(publish(records, service)).resolves.toBe("20");

    expect(sent).toEqual([]);
    expect(logged()).toContainEqual(
      expect.objectContaining({ level: "ERROR", message: "events not appended to the feed" }),
    );
  });
});

describe("an organisation whose event feed fails or is slow", () => {
  const records = () =>
    ["ours", "theirs", "ours", "theirs"].map((orgId, index) =>
      anOutboxRecord({ orgId, sequenceNumber: String(10 * (index + 1)) }),
    );
  const endpoints = () => ["ours", "theirs"].map((orgId) => anEndpoint({ orgId }));

  test("does not keep the others' events of the batch from being sent", async () => {
    const { service, sent } = aService(...endpoints());
    service.feed.append.mockImplementation(async (orgId) => {
      if (orgId === "theirs") throw new Error("throttled");
    });

    const fired = records();
    await expect(publish(fired, service)).resolves.toBe("20");

    expect(sent.map(({ orgId }) => orgId)).toEqual(["ours", "ours"]);
    expect(logged()).toEqual([
      expect.objectContaining({
        message: "events not appended to the feed",
        orgId: "theirs",
        eventIds: eventIdsOf("theirs", fired),
      }),
    ]);
  });

  test("does not let the others' events wait, and its own follow", async () => {
    const { service, sent } = aService(...endpoints());
    const { promise: isAppended, resolve: append } = Promise.withResolvers<void>();
    service.feed.append.mockImplementation(async (orgId) => {
      if (orgId === "theirs") await isAppended;
    });

    const published = publish(records(), service);
    await vi.waitFor(() => expect(sent).toHaveLength(2));
    const first = sent.map(({ orgId }) => orgId);
    append();

    await expect(published).resolves.toBeUndefined();
    expect(first).toEqual(["ours", "ours"]);
    expect(sent.slice(2).map(({ orgId }) => orgId)).toEqual(["theirs", "theirs"]);
  });

  test("does not let its own events wait for what its feed has to do behind them, but the invocation", async () => {
    const { service, sent } = aService(...endpoints());
    const { promise: isSettled, resolve: settle } = Promise.withResolvers<void>();
    service.feed.settled.mockImplementation(() => isSettled);
    const ended = vi.fn();

    const published = publish(records(), service).then(ended);
    await vi.waitFor(() => expect(service.feed.settled).toHaveBeenCalled());
    const sentBefore = sent.length;
    const hasEnded = ended.mock.calls.length > 0;
    settle();
    await published;

    expect(sentBefore).toBe(4);
    expect(hasEnded).toBe(false);
  });

  test("has its events published when the batch is repeated, and the others' are not sent twice", async () => {
    const { service, sent } = aService(...endpoints());
    const published = new RecentIds();
    const batch = records();
    service.feed.append.mockRejectedValueOnce(new Error("throttled"));

    await expect(publish(batch, { ...service, published })).resolves.toBe("10");
    await expect(publish(batch, { ...service, published })).resolves.toBeUndefined();

    expect(sent.map(({ orgId }) => orgId)).toEqual(["theirs", "theirs", "ours", "ours"]);
  });

  test("an event that the queue refused is sent again when the batch is repeated", async () => {
    const { service, sent, refused } = aService(anEndpoint());
    const published = new RecentIds();
    const batch = ["10", "20", "30"].map((sequenceNumber) => anOutboxRecord({ sequenceNumber }));
    refused.push(1);

    await expect(publish(batch, { ...service, published })).resolves.toBe("20");
    refused.pop();
    await expect(publish(batch.slice(1), { ...service, published })).resolves.toBeUndefined();

    const ids = sent.map(({ eventId }) => eventId);
    expect(ids).toHaveLength(4);
    expect(ids[3]).toBe(ids[1]);
  });
});

describe("a batch of a hundred organisations", () => {
  /**
   * An AWS request that needs its three attempts of 2 s, with the SDK's longest backoff for throttling between them.
   */
  const AWS_MS = 3 * 2_000 + 500 + 1_000;
  const elapse = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
  const hundred = () => Array.from({ length: 100 }, (_, index) => anOutboxRecord({ orgId: `org-${index}` }));
  /** One of the first organisations of a batch, by the partition key of its feed. */
  const isAmong = (first: number, { pk }: FeedItem) => Number(/org-(\d+)#/.exec(pk)?.[1]) < first;

  type FeedItem = { pk: string; events: Uint8Array };

  /**
   * A process whose table takes so many ms for an item of the feed; and when an organisation's events were sent, in ms.
   */
  function aProcess(takes: (item: FeedItem) => number) {
    vi.useFakeTimers({ now: NOW });
    onTestFinished(() => void vi.useRealTimers());
    const { service } = aService(...hundred().map((_, index) => anEndpoint({ orgId: `org-${index}` })));
    const sentAt = new Map<string, number>();
    let beganAt = 0;
    const sendAll = vi.fn(async (deliveries: readonly Delivery[]): Promise<Refusal[]> => {
      for (const { orgId } of deliveries) sentAt.set(orgId, Date.now() - beganAt);
      return [];
    });
    const table = {
      send: ({ input }: PutCommand) => elapse(takes(input.Item as FeedItem)),
    } as unknown as DynamoDBDocumentClient;
    const clock = { now: () => new Date(), wait: elapse };
    const feed = new EventFeed(table, "table", 30, { ...runtime, ...clock });
    const queues = { delivery: { sendAll }, side: { sendAll }, retry: { sendAll } };
    const slow = { ...service, ...clock, feed, queues };
    /** Publishes a batch, and returns when that ended, in ms. */
    const run = async (records: OutboxRecord[]) => {
      beganAt = Date.now();
      const published = publish(records, slow).then(() => Date.now() - beganAt);
      await vi.runAllTimersAsync();
      return published;
    };
    return { service: slow, sendAll, sentAt, run };
  }

  test.each([1, 12, 30])(
    "of which %i have a feed that hangs sends the others' events within a second",
    async (hanging) => {
      const { run, sentAt } = aProcess((item) => (isAmong(hanging, item) ? 60_000 : 5));

      await run(hundred());

      expect(sentAt.size).toBe(100 - hanging);
      expect(Math.max(...sentAt.values())).toBeLessThanOrEqual(1_000);
    },
  );

  test("begins ten of them at once, and all within three seconds though the table is slow", async () => {
    let underWay = 0;
    let most = 0;
    const { run, service, sentAt } = aProcess(() => 1_999);
    const list = service.endpoints.list.getMockImplementation();
    service.endpoints.list.mockImplementation(async (orgId) => {
      most = Math.max(most, ++underWay);
      await elapse(100);
      underWay -= 1;
      return (await list?.(orgId)) ?? [];
    });

    await run(hundred());

    expect(most).toBe(10);
    // Each is in the feed 2.5 s after it was begun.
    expect(Math.max(...sentAt.values())).toBeLessThanOrEqual(5_500);
  });

  test("ends within the function's timeout, however slow everything is", async () => {
    const emptied = packEvents([]);
    let hangs = true;
    const { run, service, sendAll, sentAt } = aProcess(({ events }) => {
      if (hangs) return 60_000;
      return Buffer.from(events).equals(emptied) ? 999 : 1_999;
    });
    const batch = hundred().slice(1);
    await run([...batch, unreadable()]);
    hangs = false;
    service.endpoints.list.mockImplementation(async (orgId) => {
      // It reads the versions of its endpoints first.
      await elapse(2 * AWS_MS);
      return [anEndpoint({ orgId })];
    });
    const send = sendAll.getMockImplementation();
    sendAll.mockImplementation(async (deliveries) => {
      await elapse(AWS_MS);
      return (await send?.(deliveries)) ?? [];
    });
    service.unreadable.park.mockImplementation(() => elapse(AWS_MS));

    const tookMs = await run([...batch, unreadable()]);

    expect(sentAt.size).toBe(99);
    // test/infra/webhook-delivery.test.ts holds the function's timeout against it.
    expect(tookMs).toBe(SLOWEST_BATCH_MS);
  });
});

describe("publishing an event", () => {
  test("queues its body in the first minute only, and never when it is published again", async () => {
    const { service, sent } = aService(anEndpoint());
    const later = (ms: number) => ({ ...service, now: () => new Date(NOW.getTime() + ms) });

    await publish([anOutboxRecord()], later(60_000));
    await publish([anOutboxRecord()], later(60_001));
    await publish([anOutboxRecord()], { ...service, resentAt: NOW.toISOString() });

    expect(sent.map(({ body }) => body !== undefined)).toEqual([true, false, false]);
    expect(JSON.stringify(sent.slice(1))).not.toMatch(/externalId|reasons/);
  });

  test.each([
    ["new", { unprovenSince: NOW.toISOString() }, true],
    ["suspected of being slow", { suspectedSince: NOW.toISOString() }, true],
    ["slow", { slowSince: NOW.toISOString() }, false],
    ["failing", { failingSince: NOW.toISOString() }, true],
  ])(
    "queues it for an endpoint that is %s, with its body unless it waits in the retry queue",
    async (...row) => {
      const [, health, keepsBody] = row;
      const { service, sent } = aService(anEndpoint(health));

      await publish([anOutboxRecord()], service);

      expect(sent.map(({ body }) => body !== undefined)).toEqual([keepsBody]);
    },
  );

  test("queues it for a new, suspected or failing endpoint in the side queue, for a slow one in the retry queue", async () => {
    const well = anEndpoint();
    const unproven = anEndpoint({ unprovenSince: NOW.toISOString() });
    const suspected = anEndpoint({ suspectedSince: NOW.toISOString() });
    const slow = anEndpoint({ slowSince: NOW.toISOString() });
    const failing = anEndpoint({ failingSince: NOW.toISOString() });
    const { service, sent, aside, retried } = aService(slow, well, unproven, suspected, failing);

    await publish([anOutboxRecord()], service);

    expect(retried.map(({ endpointId }) => endpointId)).toEqual([slow.id]);
    expect(aside.map(({ endpointId }) => endpointId)).toEqual([unproven.id, suspected.id, failing.id]);
    const others = sent.filter((delivery) => ![...retried, ...aside].includes(delivery));
    expect(others.map(({ endpointId }) => endpointId)).toEqual([well.id]);
  });

  test("sends it to each active endpoint of its organisation subscribed to its type", async () => {
    const subscribed = anEndpoint({ eventTypes: ["candidate.verified", "candidate.received"] });
    const other = anEndpoint({ eventTypes: ["candidate.received"] });
    const { service, sent } = aService(
      subscribed,
      other,
      anEndpoint({ eventTypes: ["candidate.verified"] }),
      anEndpoint({ active: false }),
      anEndpoint({ orgId: "other" }),
    );

    await expect(publish([anOutboxRecord()], service)).resolves.toBeUndefined();

    expect(sent.map(({ endpointId }) => endpointId)).toEqual([subscribed.id, other.id]);
    for (const delivery of sent) {
      expect(delivery).toMatchObject({
        orgId: "acme",
        eventType: "candidate.received",
        attempt: 1,
        dueAt: NOW.toISOString(),
      });
      expect(delivery).not.toHaveProperty("sample");
    }
  });

  test("sends the same id and bytes to every endpoint, and when it is published again", async () => {
    const { service, sent } = aService(anEndpoint(), anEndpoint(), anEndpoint());
    const record = anOutboxRecord();

    await publish([record], service);
    await publish([record], service);

    expect(sent).toHaveLength(6);
    expect(new Set(sent.map(({ eventId }) => eventId))).toEqual(
      new Set([record.newImage["event"]?.M?.["id"]?.S]),
    );
    expect(new Set(sent.map(({ body }) => body)).size).toBe(1);
    expect(JSON.parse(sent[0]?.body ?? "")).toMatchObject({ id: sent[0]?.eventId });
  });

  test("about an endpoint sends it to the organisation's other endpoints, never to itself", async () => {
    const eventTypes = ["webhook_endpoint.disabled" as const];
    // Active again by the time its event is published.
    const reactivated = anEndpoint({ eventTypes });
    const other = anEndpoint({ eventTypes });
    const { service, sent } = aService(
      reactivated,
      other,
      anEndpoint({ eventTypes: ["candidate.received", "webhook_endpoint.failing"] }),
      anEndpoint({ eventTypes, active: false }),
      anEndpoint({ eventTypes, orgId: "other" }),
    );

    await publish([anEndpointOutboxRecord(reactivated)], service);

    expect(sent.map(({ endpointId }) => endpointId)).toEqual([other.id]);
    expect(events()).toEqual([
      expect.objectContaining({
        orgId: "acme",
        eventId: sent[0]?.eventId,
        eventType: "webhook_endpoint.disabled",
        webhookEndpointId: reactivated.id,
        endpoints: 1,
      }),
    ]);
    expect(JSON.parse(sent[0]?.body ?? "")).toMatchObject({ data: { webhookEndpointId: reactivated.id } });
    expect(sent[0]?.body).not.toMatch(/receiver\.example|sealed|sequence/);
  });

  test("about an endpoint that is unreadable parks it without holding up others", async () => {
    const endpoint = anEndpoint();
    const { service, sent } = aService(anEndpoint());
    const { newImage } = anEndpointOutboxRecord(endpoint);
    const broken = { sequenceNumber: "7", newImage: { ...newImage, disabledReason: { S: "unheard-of" } } };

    await expect(publish([broken, anOutboxRecord()], service)).resolves.toBeUndefined();

    expect(service.unreadable.park).toHaveBeenCalledExactlyOnceWith(broken);
    expect(sent).toHaveLength(1);
  });

  test("without subscribers sends nothing", async () => {
    const { service, sent } = aService();

    await expect(publish([anOutboxRecord()], service)).resolves.toBeUndefined();
    expect(sent).toEqual([]);
  });

  test("logs its organisation and number of endpoints", async () => {
    const { service } = aService(anEndpoint(), anEndpoint(), anEndpoint({ active: false }));
    const record = anOutboxRecord();

    await publish([record, unreadable()], service);

    const { pk, event } = unmarshall(record.newImage);
    expect(events()).toEqual([
      expect.objectContaining({
        orgId: "acme",
        eventId: event.id,
        eventType: "candidate.received",
        stagedId: stagedIdOf(parseCandidateKey(pk)?.digest ?? ""),
        endpoints: 2,
      }),
    ]);
  });

  test("records the time of a manual redrive, and only of one", async () => {
    const { service, sent } = aService(anEndpoint());
    const resentAt = "2026-06-02T12:00:00.000Z";

    await publish([anOutboxRecord()], service);
    await publish([anOutboxRecord()], { ...service, resentAt });

    expect(sent[0]).not.toHaveProperty("resentAt");
    expect(sent[1]).toMatchObject({ resentAt, dueAt: NOW.toISOString() });
  });

  test.each([127, 128])("of a candidate whose externalId has %i characters succeeds", async (length) => {
    for (const character of ["x", "ü", "😀"]) {
      const externalId = character.repeat(length);
      const { service, sent } = aService(anEndpoint());

      await publish([anOutboxRecord({ submission: { externalId } })], service);

      expect(service.unreadable.park).not.toHaveBeenCalled();
      expect(JSON.parse(sent[0]?.body ?? "{}")).toMatchObject({ data: { externalId } });
    }
  });
});

describe("publishing a batch of events", () => {
  test("of several organisations queries each organisation's endpoints once", async () => {
    const [ours, theirs] = [anEndpoint({ orgId: "ours" }), anEndpoint({ orgId: "theirs" })];
    const { service, sent } = aService(ours, theirs);
    const records = ["ours", "theirs", "ours", "theirs", "nobody"].map((orgId) => anOutboxRecord({ orgId }));

    await publish(records, service);

    expect(sent.map(({ orgId, endpointId }) => [orgId, endpointId])).toEqual([
      ["ours", ours.id],
      ["ours", ours.id],
      ["theirs", theirs.id],
      ["theirs", theirs.id],
    ]);
    expect(service.endpoints.list).toHaveBeenCalledTimes(3);
  });

  test("for many endpoints sends all deliveries", async () => {
    const { service, sent } = aService(...Array.from({ length: 50 }, () => anEndpoint()));

    await publish(
      Array.from({ length: 100 }, () => anOutboxRecord()),
      service,
    );

    expect(sent).toHaveLength(5_000);
    expect(new Set(sent.map(({ eventId, endpointId }) => `${eventId} ${endpointId}`)).size).toBe(5_000);
  });

  test("that is empty does nothing", async () => {
    const { service, sent } = aService(anEndpoint());

    await expect(publish([], service)).resolves.toBeUndefined();
    expect(sent).toEqual([]);
  });

  test("does not cache endpoints for the next batch", async () => {
    const { service } = aService();

    await publish([anOutboxRecord()], service);
    await publish([anOutboxRecord()], service);

    expect(service.endpoints.list).toHaveBeenCalledTimes(2);
  });
});

describe("a partly published batch is repeated from its first unpublished record", () => {
  test.each([
    ["the last message", [5], "30"],
    ["one in the middle", [2], "20"],
    ["several, told in any order", [4, 3, 5], "20"],
    ["all", [0, 1, 2, 3, 4, 5], "10"],
  ])("if the queue refuses %s", async (_what, indexes, sequenceNumber) => {
    const { service, refused } = aService(anEndpoint(), anEndpoint());
    refused.push(...indexes);
    const records = ["10", "20", "30"].map((number) => anOutboxRecord({ sequenceNumber: number }));

    await expect(publish(records, service)).resolves.toBe(sequenceNumber);
  });

  test("if the retry queue refuses a message", async () => {
    const { service, refused } = aService(anEndpoint(), anEndpoint({ slowSince: NOW.toISOString() }));
    service.queues.delivery.sendAll = async () => [];
    refused.push(1);
    const records = ["10", "20", "30"].map((number) => anOutboxRecord({ sequenceNumber: number }));

    await expect(publish(records, service)).resolves.toBe("20");
  });

  test("if one organisation's endpoints cannot be read", async () => {
    const { service, sent } = aService(anEndpoint({ orgId: "ours" }), anEndpoint({ orgId: "theirs" }));
    const list = service.endpoints.list.getMockImplementation();
    service.endpoints.list.mockImplementation(async (orgId) => {
      if (orgId === "theirs") throw new Error("throttled");
      return list?.(orgId) ?? [];
    });
    const records = [
      anOutboxRecord({ orgId: "ours", sequenceNumber: "10" }),
      anOutboxRecord({ orgId: "theirs", sequenceNumber: "20" }),
      anOutboxRecord({ orgId: "ours", sequenceNumber: "30" }),
      anOutboxRecord({ orgId: "theirs", sequenceNumber: "40" }),
    ];

    await expect(publish(records, service)).resolves.toBe("20");
    expect(sent.map(({ orgId }) => orgId)).toEqual(["ours", "ours"]);
    expect(logged()).toEqual([
      expect.objectContaining({
        level: "ERROR",
        message: "endpoints not read",
        orgId: "theirs",
        eventIds: eventIdsOf("theirs", records),
      }),
    ]);
  });

  test("if queue and table fail at different records", async () => {
    const { service, refused } = aService(anEndpoint());
    refused.push(0);
    service.endpoints.list.mockImplementation(async (orgId) => {
      if (orgId === "acme") return [anEndpoint()];
      throw new Error("throttled");
    });
    const records = [
      anOutboxRecord({ sequenceNumber: "10" }),
      anOutboxRecord({ orgId: "other", sequenceNumber: "20" }),
    ];

    await expect(publish(records, service)).resolves.toBe("10");
  });

  test("if an unreadable event cannot be parked", async () => {
    const { service, sent } = aService(anEndpoint());
    service.unreadable.park.mockRejectedValue(new Error("outage"));

    await expect(
      publish([anOutboxRecord({ sequenceNumber: "5" }), unreadable("7"), anOutboxRecord()], service),
    ).resolves.toBe("7");
    expect(sent).toHaveLength(2);
    expect(logged()).toMatchObject([
      { message: "unreadable event", pk: expect.any(String), sequenceNumber: "7" },
      {
        message: "event not parked",
        pk: expect.any(String),
        sequenceNumber: "7",
        cause: { message: "outage" },
      },
    ]);
  });
});

describe("an unreadable event", () => {
  test.each([
    ["a status nobody knows", { status: "unheard-of" }],
    ["an event of no known type", { event: { id: "evt_1", type: "candidate.unknown", occurredAt: "x" } }],
    ["an event without an id", { event: { type: "candidate.received", occurredAt: "x" } }],
    ["no event", { event: undefined }],
    ["no sequence", { sequence: undefined }],
    ["the key of another kind of item", { pk: "ENDPOINTS#acme" }],
    ["no key", { pk: undefined }],
    [
      "a failed validation without reasons",
      { event: { id: "evt_1", type: "candidate.validation_failed", occurredAt: "x" } },
    ],
  ])("is parked and blocks no other: %s", async (_what, attributes) => {
    const { service, sent } = aService(anEndpoint());
    const record = anOutboxRecord({ attributes });

    await expect(publish([anOutboxRecord(), record, anOutboxRecord()], service)).resolves.toBeUndefined();

    expect(service.unreadable.park).toHaveBeenCalledExactlyOnceWith(record);
    expect(sent).toHaveLength(2);
    const { sequenceNumber, newImage } = record;
    const pk = newImage["pk"]?.S;
    expect(logged()).toMatchObject([{ message: "unreadable event", ...(pk && { pk }), sequenceNumber }]);
  });

  test.each([{}, { nonsense: { X: "1" } }, { pk: {} }])(
    "is parked even if it has no valid image: %j",
    async (image) => {
      const { service } = aService(anEndpoint());
      const record = { sequenceNumber: "1", newImage: image as OutboxRecord["newImage"] };

      await expect(publish([record], service)).resolves.toBeUndefined();
      expect(service.unreadable.park).toHaveBeenCalledOnce();
    },
  );
});

describe("an event that SQS rejects as invalid", () => {
  test("is parked once, however many endpoints it was for, and blocks no other", async () => {
    const { service, sent, faulty } = aService(anEndpoint(), anEndpoint());
    faulty.push(2, 3);
    const records = [anOutboxRecord(), anOutboxRecord(), anOutboxRecord()];

    await expect(publish(records, service)).resolves.toBeUndefined();

    expect(service.unreadable.park).toHaveBeenCalledExactlyOnceWith(records[1]);
    expect(sent).toHaveLength(6);
  });

  test("after a failed record is parked only when the batch is repeated, and not twice", async () => {
    const { service, refused, faulty } = aService(anEndpoint());
    refused.push(1);
    faulty.push(0, 2);
    const records = ["10", "20", "30"].map((number) => anOutboxRecord({ sequenceNumber: number }));

    await expect(publish(records, service)).resolves.toBe("20");

    expect(service.unreadable.park).toHaveBeenCalledExactlyOnceWith(records[0]);
  });

  test("for one endpoint and fails for another is repeated, and then parked", async () => {
    const { service, refused, faulty } = aService(anEndpoint(), anEndpoint());
    refused.push(0);
    faulty.push(1);

    await expect(publish([anOutboxRecord({ sequenceNumber: "10" })], service)).resolves.toBe("10");
    expect(service.unreadable.park).not.toHaveBeenCalled();
  });

  test("is parked in the order of the stream", async () => {
    const { service, faulty } = aService(anEndpoint());
    faulty.push(2, 0);
    const records = ["10", "20", "30"].map((number) => anOutboxRecord({ sequenceNumber: number }));
    service.unreadable.park.mockRejectedValue(new Error("outage"));

    await expect(publish(records, service)).resolves.toBe("10");
  });

  test("is repeated if it cannot be parked", async () => {
    const { service, faulty } = aService(anEndpoint());
    faulty.push(1);
    service.unreadable.park.mockRejectedValue(new Error("outage"));
    const records = ["10", "20", "30"].map((number) => anOutboxRecord({ sequenceNumber: number }));

    await expect(publish(records, service)).resolves.toBe("20");
    expect(logs.text()).toContain("outage");
  });
});

describe("a parked event", () => {
  const client = new SQSClient({ region: "eu-west-1" });
  const sqs = mockClient(client);
  const unreadableEvents = new UnreadableEvents(client, "https://sqs.eu-west-1.amazonaws.com/1/unreadable");
  const parked = () => sqs.commandCalls(SendMessageCommand)[0]?.args[0].input.MessageBody ?? "";

  beforeEach(() => {
    sqs.reset();
    sqs.on(SendMessageCommand).resolves({});
  });

  test.each(["candidate.promoted", "candidate.erased", "candidate.validation_failed"] as const)(
    "contains everything that its event is made of: %s",
    async (type) => {
      const statuses = { "candidate.promoted": "promoted", "candidate.erased": "erased" };
      const record = anOutboxRecord({
        type,
        reasons: [{ code: "photo", message: "The photo is missing." }],
        attributes: {
          status: type === "candidate.validation_failed" ? "validation_failed" : statuses[type],
          promotedAt: NOW.toISOString(),
        },
      });

      await unreadableEvents.park(record);

      const published = readOutbox(JSON.parse(parked()));
      expect(published).toBeDefined();
      expect(published).toEqual(readOutbox(record));
    },
  );

  test("contains only the candidate's data that an event is made of, and so does the log", async () => {
    const { service } = aService(anEndpoint());
    const record = anOutboxRecord({
      submission: {
        firstName: "canary",
        summary: "canary",
        email: "canary@example.com",
        address: { line1: "canary", country: "GB" },
      },
      attributes: { status: "unheard-of" },
    });

    await publish([record], { ...service, unreadable: unreadableEvents });

    expect(parked()).not.toMatch(/canary|Lovelace|ada@example/);
    expect(Object.keys(JSON.parse(parked()).newImage).sort()).toEqual([
      "availabilityStatus",
      "event",
      "externalId",
      "itemVersion",
      "pk",
      "sequence",
      "status",
      "verificationStatus",
    ]);
    expect(logs.text()).toContain(record.sequenceNumber);
    expect(logs.text()).not.toMatch(/canary|Lovelace|ada@example/);
    expect(logs.text()).not.toContain(record.newImage["externalId"]?.S ?? "no externalId");
  });

  test.each([5, 128])(
    "can be published once it can be read, its externalId of %i characters too",
    async (length) => {
      const record = anOutboxRecord({ submission: { externalId: "\uffff".repeat(length) } });
      await unreadableEvents.park(record);
      expect(parked()).toMatch(SQS_CARRIES);
      const { service, sent } = aService(anEndpoint());

      await publish([record], service);
      await publish([JSON.parse(parked()) as OutboxRecord], service);

      expect(service.unreadable.park).not.toHaveBeenCalled();
      expect(sent).toHaveLength(2);
      expect(sent[1]?.body).toBe(sent[0]?.body);
    },
  );
});
