import { setTimeout as delay } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { stagedIdOf } from "#candidates/handles";
import type { WebhookEvent } from "#contract/events";
import { runtime } from "#runtime/runtime";
import { ACKNOWLEDGED_WITHIN_MS, EventFeed } from "#webhooks/feed/event-feed";
import { type FeedPosition, feedPage } from "#webhooks/feed/feed-page";
import { seeded } from "../../tools/seeded.ts";
import { aStore, type Store } from "../candidates/candidate-store.ts";
import { startEngine } from "../engine.ts";
import { anEvent } from "../webhooks/builders.ts";

const CANDIDATES = 2_000;
const EVENTS_OF_EACH = 10;
const PUBLISHERS = 8;
const ORG_ID = "acme";

test("three readers receive each of 20,000 events while publishers are late, crash and repeat themselves", async () => {
  const random = seeded(1);
  const engine = await startEngine({ inMemory: true });
  onTestFinished(engine.stop);
  const store = await aStore(engine.endpoint);
  onTestFinished(store.close);
  delaySomePuts(store, random);
  const aFeed = () => new EventFeed(store.client, store.tableName, 30, runtime);
  const feed = aFeed();

  const isPublished = publishAll(aFeed, random);
  const received = await Promise.all([30, 60, 100].map((limit) => follow(feed, limit)));
  await isPublished;

  for (const sequences of received) {
    expect(sequences.size).toBe(CANDIDATES);
    for (const seen of sequences.values()) expect(seen.size).toBe(EVENTS_OF_EACH);
  }
});

/** One put in fifty reaches the table when a reader may have passed its position. */
function delaySomePuts({ client }: Store, random: () => number): void {
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        if (commandName === "PutItemCommand" && random() < 0.02) {
          await delay(ACKNOWLEDGED_WITHIN_MS + 2_000 * random());
        }
        return next(args);
      },
    { step: "finalizeRequest" },
  );
}

/** Each publisher has the events of some candidates, in batches: as from shards of the table's stream. */
async function publishAll(aFeed: () => EventFeed, random: () => number): Promise<void> {
  await Promise.all(
    Array.from({ length: PUBLISHERS }, async (_, publisher) => {
      const left = eventsOf(publisher);
      while (left.length > 0) {
        const batch = left.slice(0, 1 + Math.floor(100 * random()));
        // It may crash before it is done, and the batch is published again; or after, and then it does not know.
        const isCut = random() < 0.1;
        // Another process: one that goes on knows what it has appended.
        const isAppended = await aFeed()
          .append(ORG_ID, isCut ? batch.slice(0, batch.length / 2) : batch)
          // A batch whose items were late too often is published again, as Lambda does.
          .then(
            () => true,
            () => false,
          );
        if (isAppended && !isCut && random() > 0.1) left.splice(0, batch.length);
      }
    }),
  );
}

function eventsOf(publisher: number): WebhookEvent[] {
  return Array.from({ length: CANDIDATES / PUBLISHERS }, (_, index) => {
    const digest = Buffer.from(`candidate ${publisher} ${index}`)
      .toString("hex")
      .padEnd(26, "0")
      .slice(0, 26);
    const { data } = anEvent();
    return Array.from({ length: EVENTS_OF_EACH }, (_, before) =>
      anEvent({
        sequence: before + 1,
        data: { ...data, stagedId: stagedIdOf(digest + index) },
      } as object),
    );
  }).flat();
}

/** The sequence numbers of each candidate that a reader receives, until it has all. */
async function follow(feed: EventFeed, limit: number): Promise<ReadonlyMap<string, ReadonlySet<number>>> {
  const sequences = new Map<string, Set<number>>();
  let at: FeedPosition = { position: new Date(Date.now() - 60_000).toISOString(), eventsRead: 0 };
  const until = Date.now() + 120_000;
  for (let count = 0; count < CANDIDATES * EVENTS_OF_EACH && Date.now() < until; ) {
    const page = feedPage(await feed.read(ORG_ID, at.position), at, { limit });
    for (const event of page.events) {
      if (!("sequence" in event)) continue;
      const seen = sequences.get(event.data.stagedId) ?? new Set();
      sequences.set(event.data.stagedId, seen);
      if (!seen.has(event.sequence)) count += 1;
      seen.add(event.sequence);
    }
    at = page.next;
    if (!page.hasMore) await delay(100);
  }
  return sequences;
}
