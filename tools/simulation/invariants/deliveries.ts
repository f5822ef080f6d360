import { isDeepStrictEqual } from "node:util";
import { DAY } from "#runtime/durations";
import type { StoryOutcome } from "../outcome.ts";
import {
  allEvents,
  type Endpoint,
  endpointsOf,
  eventIdOf,
  isDeliveringDisturbed,
  messagesIn,
  UNDER_WAY_MS,
  wasInactive,
} from "./delivery-evidence.ts";
import { endpointEventsOf, type Item, isTaken, madeOf, mayActAfter } from "./evidence.ts";
import type { Invariant } from "./invariant.ts";
import { parkedEventIn } from "./parked.ts";

// Whether every event arrives or ends as a dead letter, and whether the lists of deliveries contain all of them.

/** How long SQS keeps a dead letter, in ms (Amazon SQS message quotas). */
const LETTERS_KEPT_MS = 14 * DAY;

/** Whether an endpoint was there and active at a moment, and nothing since may have ended that. */
function staysOpen(outcome: StoryOutcome, endpoint: Endpoint, moment: number): boolean {
  const ofSubscriber = madeOf(outcome, "delete", "update").filter(
    ({ operation }) => operation.subscriber === endpoint.subscriber,
  );
  const closers = ofSubscriber.filter(
    ({ operation }) => operation.name === "delete" || operation.active === false,
  );
  const opened = ofSubscriber.flatMap(({ operation, completed }) => {
    const { id } = (completed?.response.body ?? {}) as { id?: string };
    if (operation.name !== "update" || operation.active !== true || id !== endpoint.id) return [];
    return completed && completed.endedAt <= moment ? [completed.startedAt] : [];
  });
  const openSince = Math.max(endpoint.since, ...opened);
  // A 410 of an address that the endpoint no longer has when the response comes ends nothing.
  const isGone =
    wasInactive(outcome, endpoint.id, openSince, outcome.endedAt) &&
    outcome.posts.some(
      ({ url, statusCode, startedAt }) =>
        url === endpoint.url && statusCode === 410 && startedAt + UNDER_WAY_MS >= openSince,
    );
  return !isGone && !closers.some((closer) => mayActAfter(closer, openSince));
}

/** Whether an endpoint has been set inactive, by its organisation or because it failed for days. */
function isInactive(outcome: StoryOutcome, { orgId, id }: Endpoint): boolean {
  return outcome.items.some(
    ({ pk, sk, active }) => pk === `ENDPOINTS#${orgId}` && sk === `ENDPOINT#${id}` && active === false,
  );
}

/** When a delivery was dropped, if it was. */
function droppedAt({ writes }: StoryOutcome, endpointId: string, eventId: string): number | undefined {
  return writes.find(({ item }) => isRecordOf(item, endpointId, eventId) && item?.["status"] === "dropped")
    ?.at;
}

/** Whether a delivery ended as a dead letter, whatever became of it. */
function hasFailed({ writes }: StoryOutcome, endpointId: string, eventId: string): boolean {
  return writes.some(({ item }) => isRecordOf(item, endpointId, eventId) && item?.["status"] === "failed");
}

function recordOf(outcome: StoryOutcome, endpointId: string, eventId: string): Item | undefined {
  return outcome.items.find((item) => isRecordOf(item, endpointId, eventId));
}

function isRecordOf(item: Item | undefined, endpointId: string, eventId: string): boolean {
  return item?.["endpointId"] === endpointId && item["sk"] === `DELIVERY#${eventId}`;
}

export const eventsArrive: Invariant = {
  sentence: "Every event reaches every subscribed endpoint or ends as a dead letter; none is lost silently.",
  *violations(outcome) {
    const notices = endpointEventsOf(outcome).map((event) => ({
      ...event,
      key: event.endpointId,
      sequence: 0,
    }));
    const events = [...allEvents(outcome), ...notices];
    const letters = messagesIn(outcome, "DeadLetters").map((body) => JSON.parse(body));
    const parked = new Set(messagesIn(outcome, "UnreadableEvents").map(parkedEventIn));
    const isRecordingDisturbed = isDeliveringDisturbed(outcome);
    for (const endpoint of endpointsOf(outcome)) {
      const { url, id, since } = endpoint;
      if (isInactive(outcome, endpoint)) continue;
      for (const event of events) {
        if (event.key === id) continue;
        if (event.orgId !== endpoint.orgId || event.at < since || !endpoint.eventTypes.includes(event.type))
          continue;
        if (!staysOpen(outcome, endpoint, event.at)) continue;
        const lifeEnded = events.some(
          (later) =>
            later.key === event.key && later.sequence > event.sequence && later.type === "candidate.erased",
        );
        const nextLife = events.some(
          (later) =>
            later.key === event.key && later.sequence > event.sequence && later.type === "candidate.received",
        );
        const posts = outcome.posts.filter((post) => post.url === url && eventIdOf(post) === event.id);
        const isDead =
          letters.some((letter) => letter.endpointId === id && letter.eventId === event.id) ||
          parked.has(event.id);
        // SQS keeps no letter for longer than two weeks.
        const isForgotten = outcome.endedAt - event.at > LETTERS_KEPT_MS && hasFailed(outcome, id, event.id);
        const record = recordOf(outcome, id, event.id);
        if (record?.["status"] === "delivered" && !posts.some(isTaken)) {
          yield `${event.type} (${event.id}) is recorded as delivered to ${url}, which acknowledged nothing`;
        }
        // A record that cannot be written repeats no attempt, so a fault may leave it as it was.
        if (record?.["status"] === "pending" && !isRecordingDisturbed)
          yield `${event.type} (${event.id}) stays pending at ${url}`;
        if (posts.some(isTaken) || isDead || isForgotten || lifeEnded || nextLife) continue;
        // It was set inactive because it failed: before the event was published, or before its dead letter was
        // redriven.
        const dropped = droppedAt(outcome, id, event.id) ?? event.at + UNDER_WAY_MS;
        if (wasInactive(outcome, id, dropped - UNDER_WAY_MS, dropped)) continue;
        yield `${event.type} (${event.id}) of ${event.key} did not reach ${url}, and is not a dead letter: ${record?.["status"] ?? "no record"}`;
      }
    }
  },
};

export const feedsAreWhole: Invariant = {
  sentence: "The pages of an endpoint's deliveries contain each delivery once, newest first.",
  *violations(outcome) {
    for (const { endpointId, status, deliveries } of outcome.feeds) {
      const eventIds = deliveries.map(({ eventId }) => eventId);
      const recorded = outcome.items
        .filter((item) => item["endpointId"] === endpointId && String(item["sk"]).startsWith("DELIVERY#"))
        .filter((record) => status === undefined || record["status"] === status)
        .map(({ sk }) => String(sk).slice("DELIVERY#".length));
      const expected = recorded.toSorted().toReversed();
      if (!isDeepStrictEqual(eventIds, expected))
        yield `${endpointId} lists ${eventIds.length} deliveries${status ? ` that are ${status}` : ""}, but has ${expected.length}`;
    }
  },
};
