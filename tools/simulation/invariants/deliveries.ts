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

/** An event that endpoints may be subscribed to. */
interface Published {
  readonly id: string;
  readonly type: string;
  readonly at: number;
  readonly orgId: string;
  /** What it is about: a candidate's record, or an endpoint. */
  readonly key: string;
  readonly sequence: number;
}

function publishedIn(outcome: StoryOutcome): Published[] {
  const notices = endpointEventsOf(outcome).map((event) => ({
    ...event,
    key: event.endpointId,
    sequence: 0,
  }));
  return [...allEvents(outcome), ...notices];
}

export const eventsArrive: Invariant = {
  sentence: "Every event reaches every subscribed endpoint or ends as a dead letter; none is lost silently.",
  *violations(outcome) {
    const events = publishedIn(outcome);
    const isOutlived = outlivedAmong(events);
    const isDead = deadIn(outcome);
    for (const endpoint of endpointsOf(outcome)) {
      if (isInactive(outcome, endpoint)) continue;
      for (const event of events) {
        if (!isOwed(outcome, endpoint, event)) continue;
        yield* problemsOfRecord(outcome, endpoint, event);
        const isSettled =
          isAcknowledged(outcome, endpoint, event) ||
          isDead(endpoint, event) ||
          isForgotten(outcome, endpoint, event) ||
          isOutlived(event) ||
          isLeftOut(outcome, endpoint, event);
        if (!isSettled)
          yield `${event.type} (${event.id}) of ${event.key} did not reach ${endpoint.url}, and is not a dead letter: ${recordOf(outcome, endpoint.id, event.id)?.["status"] ?? "no record"}`;
      }
    }
  },
};

/** Whether an endpoint has to get an event: it has been open and subscribed to it since, and is not its subject. */
function isOwed(outcome: StoryOutcome, endpoint: Endpoint, event: Published): boolean {
  const isSubscribed =
    event.orgId === endpoint.orgId && event.at >= endpoint.since && endpoint.eventTypes.includes(event.type);
  return isSubscribed && event.key !== endpoint.id && staysOpen(outcome, endpoint, event.at);
}

/** A delivery is recorded as delivered only if its receiver acknowledged it, and does not stay pending. */
function* problemsOfRecord(outcome: StoryOutcome, endpoint: Endpoint, event: Published): Generator<string> {
  const status = recordOf(outcome, endpoint.id, event.id)?.["status"];
  if (status === "delivered" && !isAcknowledged(outcome, endpoint, event))
    yield `${event.type} (${event.id}) is recorded as delivered to ${endpoint.url}, which acknowledged nothing`;
  // A record that cannot be written repeats no attempt, so a fault may leave it as it was.
  if (status === "pending" && !isDeliveringDisturbed(outcome))
    yield `${event.type} (${event.id}) stays pending at ${endpoint.url}`;
}

function isAcknowledged({ posts }: StoryOutcome, { url }: Endpoint, event: Published): boolean {
  return posts.some((post) => post.url === url && eventIdOf(post) === event.id && isTaken(post));
}

/** Whether the delivery of an event is a dead letter, or the event itself is parked. */
function deadIn(outcome: StoryOutcome): (endpoint: Endpoint, event: Published) => boolean {
  const letters = messagesIn(outcome, "DeadLetters").map((body) => JSON.parse(body));
  const parked = new Set(messagesIn(outcome, "UnreadableEvents").map(parkedEventIn));
  return (endpoint, event) =>
    letters.some((letter) => letter.endpointId === endpoint.id && letter.eventId === event.id) ||
    parked.has(event.id);
}

/** Whether a delivery was a dead letter. SQS keeps none for longer than two weeks. */
function isForgotten(outcome: StoryOutcome, { id }: Endpoint, event: Published): boolean {
  return outcome.endedAt - event.at > LETTERS_KEPT_MS && hasFailed(outcome, id, event.id);
}

/** Whether the candidate of an event was erased after it, or began another life. */
function outlivedAmong(events: readonly Published[]): (event: Published) => boolean {
  return ({ key, sequence }) =>
    events.some(
      (later) =>
        later.key === key &&
        later.sequence > sequence &&
        (later.type === "candidate.erased" || later.type === "candidate.received"),
    );
}

/**
 * Whether a delivery was left out because its endpoint was inactive, having failed: when the event was published, or
 * when its dead letter was redriven.
 */
function isLeftOut(outcome: StoryOutcome, { id }: Endpoint, event: Published): boolean {
  const dropped = droppedAt(outcome, id, event.id) ?? event.at + UNDER_WAY_MS;
  return wasInactive(outcome, id, dropped - UNDER_WAY_MS, dropped);
}

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
