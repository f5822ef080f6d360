import { GetSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { SQSClient } from "@aws-sdk/client-sqs";
import { mockClient } from "aws-sdk-client-mock";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from "vitest";
import { newEndpointId } from "#contract/identifiers";
import { ENDPOINTS_PER_ORGANISATION } from "#contract/webhook-endpoint";
import { runtime } from "#runtime/runtime";
import { deliveryServiceOf, publishServiceOf } from "#webhooks/delivery/composition";
import { deliver } from "#webhooks/delivery/deliver";
import type { Delivery } from "#webhooks/delivery/delivery";
import { publish } from "#webhooks/delivery/publish";
import { endpointHealthOf, signingSecretsOf, webhookEndpointsOf } from "#webhooks/endpoints/composition";
import { EventFeed } from "#webhooks/feed/event-feed";
import { EVENTS_PER_ITEM } from "#webhooks/feed/feed-item";
import { feedPage } from "#webhooks/feed/feed-page";
import { seeded } from "../../tools/seeded.ts";
import { capturedLogs } from "../builders/captured-logs.ts";
import { aStore, type Store } from "../candidates/candidate-store.ts";
import { anOutboxRecord, aRejection, NOW } from "./builders.ts";

/** The sizes of publish-events' and deliver-webhook's batches. */
const EVENTS = 100;
const MESSAGES = 10;
/** The processes that share the deliveries: each begins without knowing any endpoint. */
const PROCESSES = 10;
const QUEUE = "https://sqs.eu-west-1.amazonaws.com/1/queue";

const secretsManagerClient = new SecretsManagerClient({ region: "eu-west-1" });
mockClient(secretsManagerClient)
  .on(GetSecretValueCommand)
  .resolves({ SecretString: JSON.stringify({ current: "1", "1": "generated" }) });

capturedLogs();
let store: Store;
let units = { read: 0, written: 0 };
beforeEach(() => {
  units = { read: 0, written: 0 };
});
beforeAll(async () => {
  store = await aStore(inject("dynamoDbEndpoint"));
  countUnits();
});
afterAll(() => store?.close());

/** Adds up what DynamoDB Local reports. */
function countUnits(): void {
  store.client.middlewareStack.add(
    (next, { commandName = "" }) =>
      async (args) => {
        const isRead = ["GetItemCommand", "QueryCommand"].includes(commandName);
        // A transaction reports the units of each table in a list.
        if (!isRead && commandName !== "PutItemCommand") return next(args);
        Object.assign(args.input, { ReturnConsumedCapacity: "TOTAL" });
        const result = await next(args);
        const { ConsumedCapacity } = result.output as { ConsumedCapacity?: { CapacityUnits?: number } };
        units[isRead ? "read" : "written"] += ConsumedCapacity?.CapacityUnits ?? 0;
        return result;
      },
    { step: "initialize" },
  );
}

const dependencies = () => ({
  ...runtime,
  now: () => NOW,
  documentClient: store.client,
  secretsManagerClient,
  sqsClient: new SQSClient({ region: "eu-west-1" }),
  sendOnceClient: new SQSClient({ region: "eu-west-1" }),
  client: { post: async () => ({ statusCode: 204, durationMs: 12 }) },
  variables: {
    TABLE_NAME: store.tableName,
    EVENT_RETENTION_DAYS: "30",
    KEYRING_SECRET_ID: "keyring",
    RETRY_SCHEDULE: "standard",
    DELIVERY_QUEUE_URL: QUEUE,
    SIDE_QUEUE_URL: QUEUE,
    RETRY_QUEUE_URL: QUEUE,
    DEAD_LETTER_QUEUE_URL: QUEUE,
    UNREADABLE_EVENTS_QUEUE_URL: QUEUE,
  },
});

/** Registers endpoints that have responded fast. */
async function register(orgId: string, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newEndpointId(runtime));
  for (const [index, id] of ids.entries()) {
    const { sealedSecret } = await signingSecretsOf(dependencies()).issue(orgId, id);
    const url = `https://receivers.example.com/hooks/candidates/production/${index}`;
    await webhookEndpointsOf(dependencies()).register(
      orgId,
      id,
      { url, eventTypes: ["candidate.received"] },
      sealedSecret,
    );
    const endpoint = await webhookEndpointsOf(dependencies()).get(orgId, id);
    await endpointHealthOf(dependencies(), "standard").succeeded(endpoint, 12);
  }
  return ids;
}

async function published(orgId: string, events: number): Promise<Delivery[]> {
  const queued: Delivery[] = [];
  const queue = {
    sendAll: async (deliveries: readonly Delivery[]) => {
      queued.push(...deliveries);
      return [];
    },
  };
  const service = {
    ...publishServiceOf(dependencies()),
    queues: { delivery: queue, side: queue, retry: queue },
  };
  for (let rest = events; rest > 0; rest -= EVENTS) {
    const batch = Array.from({ length: Math.min(rest, EVENTS) }, () => anOutboxRecord({ orgId }));
    await publish(batch, service);
  }
  return queued;
}

function aProcess() {
  const log = { find: async () => undefined, record: async () => {} };
  const retries = { send: async () => {} };
  const sideQueue = { send: async () => {} };
  return { ...deliveryServiceOf("delivery", dependencies()), log, retries, sideQueue };
}

/** Delivers in batches of random messages, because SQS keeps no order. */
async function deliverAll(
  deliveries: readonly Delivery[],
  afterBatch: (batch: number) => Promise<void> = async () => {},
): Promise<void> {
  const random = seeded(1);
  const waiting = deliveries.map((delivery) => ({ delivery, position: random() }));
  waiting.sort((left, right) => left.position - right.position);
  const processes = Array.from({ length: PROCESSES }, aProcess);
  for (let batch = 0; batch * MESSAGES < waiting.length; batch++) {
    const service = processes[batch % PROCESSES];
    if (!service) throw new Error("There are processes.");
    const messages = waiting.slice(batch * MESSAGES, (batch + 1) * MESSAGES);
    await Promise.all(messages.map(({ delivery }) => deliver(delivery, service)));
    await afterBatch(batch);
  }
}

describe("an ordinary delivery in one organisation's burst takes at most 0.3 read units, from event to attempt,", () => {
  test.each([
    { endpoints: 1, events: 500 },
    { endpoints: 2, events: 500 },
    { endpoints: 50, events: 50 },
  ])("with $endpoints endpoints", async ({ endpoints, events }) => {
    const orgId = `organisation-${endpoints}`;
    await register(orgId, endpoints);
    units.read = 0;

    const deliveries = await published(orgId, events);
    const ofPublishing = units.read;
    await deliverAll(deliveries);

    expect(deliveries).toHaveLength(events * endpoints);
    expect(ofPublishing / deliveries.length).toBeLessThanOrEqual(0.02);
    expect(units.read / deliveries.length).toBeLessThanOrEqual(0.15);
  });

  test("with 50 endpoints of which one is suspected of being slow for each 500 deliveries", async () => {
    const ids = await register("suspected", 50);
    const endpoints = webhookEndpointsOf(dependencies());
    const health = endpointHealthOf(dependencies(), "standard");
    const deliveries = await published("suspected", 50);
    units.read = 0;

    await deliverAll(deliveries, async (batch) => {
      const id = ids[Math.floor(batch / 50) % ids.length] ?? "";
      const before = units.read;
      if (batch % 50 === 0) await health.suspected(await endpoints.get("suspected", id));
      if (batch % 50 === 10) await health.succeeded(await endpoints.get("suspected", id), 12);
      units.read = before;
    });

    expect(units.read / deliveries.length).toBeLessThanOrEqual(0.3);
  });
});

test("the only delivery of an organisation takes two read units, as many as without versions", async () => {
  await register("rare", 1);
  units.read = 0;

  await deliverAll(await published("rare", 1));

  expect(units.read).toBe(2);
});

test("the versions of all endpoints that an organisation may have take one read unit", async () => {
  await register("full", ENDPOINTS_PER_ORGANISATION);
  units.read = 0;

  await webhookEndpointsOf(dependencies()).versions("full");

  expect(units.read).toBe(1);
});

describe("an organisation's event feed", () => {
  const LATER = new Date(NOW.getTime() + 60_000);
  const BEFORE = new Date(NOW.getTime() - 60_000).toISOString();
  const feedAt = (now: Date) =>
    new EventFeed(store.client, store.tableName, 30, {
      ...runtime,
      now: () => now,
      // The table responds at once by the test's clock, however slow this machine is.
      wait: () => new Promise(() => {}),
    });
  const published = (count: number) => Array.from({ length: count }, () => aRejection());

  test("takes one unit for an event alone, and less than 0.3 for each of a burst", async () => {
    const feed = feedAt(NOW);

    await feed.append("events", published(1));
    const alone = units.written;
    units.written = 0;
    await feed.append("events", published(100));

    expect(alone).toBe(1);
    expect(units.written / 100).toBeLessThan(0.3);
  });

  test.each([1, EVENTS_PER_ITEM])("takes at most ten for a page of items of %i events", async (size) => {
    const orgId = `pages of ${size}`;
    const feed = feedAt(NOW);
    for (let item = 0; item < 100; item++) await feed.append(orgId, published(size));

    const read = await feedAt(LATER).read(orgId, BEFORE);
    const page = feedPage(read, { position: BEFORE, eventsRead: 0 }, { limit: 100 });

    expect(units.read).toBeLessThanOrEqual(10);
    expect(page.events.length).toBeGreaterThan(8);
  });
});
