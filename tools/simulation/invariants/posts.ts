import { MINUTE } from "#runtime/durations";
import type { Post } from "../history.ts";
import type { StoryOutcome } from "../outcome.ts";
import { allEvents, eventIdOf, UNDER_WAY_MS } from "./delivery-evidence.ts";
import {
  type EndpointFired,
  endpointEventsOf,
  eventsOf,
  type Fired,
  type Item,
  isDone,
  LATE_MS,
  madeOf,
  recordsOf,
  registrationsOf,
} from "./evidence.ts";
import type { Invariant } from "./invariant.ts";

// What is posted to receivers, and to which of them.

/** Whether a body is the same as the first one but for its reasons, of which it has none. */
function hasNoReasons(first: string, body: string): boolean {
  const { data, ...event } = JSON.parse(first);
  return body === JSON.stringify({ ...event, data: { ...data, reasons: [] } });
}

/** How many failed validations a record keeps with their reasons (docs/data-model.md). */
const REJECTIONS_KEPT = 10;

/** Whether a candidate's record no longer keeps the reasons of an event at a moment. */
function isOutdated(outcome: StoryOutcome, eventId: string, moment: number): boolean {
  const events = allEvents(outcome);
  const event = events.find(({ id }) => id === eventId);
  const later = events.filter(
    ({ key, type, sequence, at }) =>
      key === event?.key &&
      type === "candidate.validation_failed" &&
      sequence > event.sequence &&
      at <= moment,
  );
  return later.length >= REJECTIONS_KEPT;
}

/** Whether a post differs from another one only in reasons that its candidate's record no longer keeps. */
function lacksReasons(outcome: StoryOutcome, other: Post, post: Post): boolean {
  return hasNoReasons(other.body, post.body) && isOutdated(outcome, eventIdOf(post), post.startedAt);
}

export const onlyWhatHappened: Invariant = {
  sentence:
    "Every posted event was fired, and its body is the same bytes at every endpoint and in every attempt.",
  *violations(outcome) {
    const events = new Map(allEvents(outcome).map((event) => [event.id, event]));
    const endpointEvents = new Map(endpointEventsOf(outcome).map((event) => [event.id, event]));
    const firstPosts = new Map<string, Post>();
    for (const post of outcome.posts) {
      const body = JSON.parse(post.body);
      const id = eventIdOf(post);
      const first = firstPosts.get(id) ?? post;
      firstPosts.set(id, first);
      if (body.id !== id || body.type !== post.headers["X-RR-Event-Type"])
        yield `${id} is posted with the body of ${body.id}`;
      if (!isSameBody(outcome, first, post)) yield `${id} is posted in two forms`;
      if (body.sample) continue;
      const { orgId } = outcome.story.subscribers[post.subscriber] ?? {};
      const event = endpointEvents.get(id) ?? events.get(id);
      if (!event) {
        yield `${body.type} (${id}) is posted, but was never fired`;
        continue;
      }
      if (orgId !== event.orgId) yield `${id} of ${event.orgId} is posted to ${orgId}`;
      if ("endpointId" in event) {
        if (!isOfEndpoint(body, event)) yield `${id} is posted as ${post.body}`;
        continue;
      }
      if (!isOfCandidate(body, event))
        yield `${id} is posted as ${body.type} ${body.sequence} ${body.data.status}`;
      if (post.startedAt < event.at) yield `${id} is posted before it was fired`;
    }
  },
};

/** Whether two posts of an event have the same body, but for reasons that its candidate's record no longer keeps. */
function isSameBody(outcome: StoryOutcome, first: Post, post: Post): boolean {
  return post.body === first.body || lacksReasons(outcome, first, post) || lacksReasons(outcome, post, first);
}

/** What is compared of the body of a post. */
interface Posted {
  readonly type: string;
  readonly sequence?: number;
  readonly data: Item;
}

function isOfEndpoint({ type, data }: Posted, event: EndpointFired): boolean {
  const { webhookEndpointId, ...said } = data;
  return (
    type === event.type &&
    webhookEndpointId === event.endpointId &&
    Object.entries(said).every(([name, value]) => event.item[name] === value)
  );
}

function isOfCandidate({ type, sequence, data }: Posted, event: Fired): boolean {
  return type === event.type && sequence === event.sequence && data["status"] === event.item["status"];
}

export const eventsNameTheCanonicalId: Invariant = {
  sentence: "An event contains the canonical id if the candidate has been promoted, and null otherwise.",
  *violations(outcome) {
    const expected = new Map<string, string | null>();
    for (const key of recordsOf(outcome).keys()) {
      let id: string | null = null;
      for (const event of eventsOf(outcome, key)) {
        if (event.type === "candidate.received") id = null;
        if (event.type === "candidate.promoted") id = `cand_${key.split("#").at(-1)}`;
        expected.set(event.id, id);
      }
    }
    const seen = [
      ...outcome.posts.map(({ body }) => JSON.parse(body)),
      ...[...outcome.feedReads, ...outcome.feedRereads].flatMap(({ events }) => events),
    ];
    for (const { id, type, data } of seen) {
      const canonicalId = expected.get(id);
      if (canonicalId !== undefined && data.id !== canonicalId)
        yield `${type} (${id}) contains the canonical id ${data.id} instead of ${canonicalId}`;
    }
  },
};

export const nothingOfTheErased: Invariant = {
  sentence: "After an erasure, only the erasure is posted about the candidate.",
  *violations(outcome) {
    const events = allEvents(outcome);
    const erasures = events.filter(({ type }) => type === "candidate.erased");
    const firedAt = new Map(events.map(({ id, at }) => [id, at]));
    for (const post of outcome.posts) {
      const { data, sequence, type, sample } = JSON.parse(post.body);
      if (sample) continue;
      for (const erasure of erasures) {
        if (!erasure.key.endsWith(String(data.stagedId).replace("staged_", "#"))) continue;
        if ((firedAt.get(eventIdOf(post)) ?? 0) >= erasure.at) continue;
        // A first attempt within a minute of its event looks nothing up.
        const allowed = Math.max(erasure.at, erasure.at + MINUTE) + LATE_MS;
        if (post.startedAt > allowed)
          yield `${type} (${sequence}) is posted ${Math.round((post.startedAt - erasure.at) / 1000)} s after the erasure`;
      }
    }
  },
};

/**
 * The event types to which endpoints at the URL of a post were subscribed at some moment since its event, or
 * recovered.
 */
function subscriptionsOf(
  { writes }: StoryOutcome,
  { url, startedAt }: Post,
  since: number,
): readonly unknown[] {
  const before = writes.filter(({ at }) => at <= startedAt);
  const endpoints = Map.groupBy(
    before.filter(({ pk, sk }) => pk.startsWith("ENDPOINTS#") && sk.startsWith("ENDPOINT#")),
    ({ sk }) => sk,
  );
  const subscribed = [...endpoints.values()].flatMap((states) =>
    states.filter((_, index) => (states[index + 1]?.at ?? Number.POSITIVE_INFINITY) >= since),
  );
  const isThere = ({ item }: { readonly item?: Item | undefined }) =>
    item !== undefined && String(item["url"]).split("?")[0] === url;
  const own = new Set(
    [...endpoints.values()]
      .flat()
      .filter(isThere)
      .map(({ sk }) => sk),
  );
  const recovered = before.filter(({ pk, sk }) => sk.startsWith("RECOVERY#") && own.has(pk));
  return [...subscribed.filter(isThere), ...recovered].flatMap(
    ({ item }) => (item?.["eventTypes"] ?? []) as readonly unknown[],
  );
}

export const onlyToSubscribers: Invariant = {
  sentence:
    "An endpoint gets only the event types that it is subscribed to, and only after its registration.",
  *violations(outcome) {
    const firedAt = new Map(
      [...allEvents(outcome), ...endpointEventsOf(outcome)].map(({ id, at }) => [id, at]),
    );
    for (const post of outcome.posts) {
      const registrations = registrationsOf(outcome, post.subscriber);
      const { type, sample } = JSON.parse(post.body);
      const types = subscriptionsOf(outcome, post, firedAt.get(eventIdOf(post)) ?? 0);
      if (!sample && !types.includes(type))
        yield `${type} is posted to ${post.url}, which is not subscribed to it`;
      if (!registrations.some(({ startedAt }) => startedAt <= post.startedAt))
        yield `${post.url} gets a post before it is registered`;
    }
  },
};

export const deletedIsLeftAlone: Invariant = {
  sentence:
    "Nothing is posted to a deleted or inactive endpoint, except attempts that were already under way.",
  *violations(outcome) {
    for (const [subscriber, { url }] of outcome.story.subscribers.entries()) {
      for (const { operation, endedAt, step } of closingsOf(outcome, subscriber)) {
        for (const post of outcome.posts) {
          if (post.url !== url || post.startedAt <= endedAt + UNDER_WAY_MS) continue;
          if (JSON.parse(post.body).sample && operation.name === "update") continue;
          yield `${url} is posted to ${Math.round((post.startedAt - endedAt) / 1000)} s after step ${step.number}`;
        }
      }
    }
  },
};

/** The acknowledged steps that delete a subscriber's only endpoint, or set it inactive for good. */
function closingsOf(outcome: StoryOutcome, subscriber: number) {
  const registrations = registrationsOf(outcome, subscriber);
  if (registrations.length !== 1 || (registrations[0]?.calls.length ?? 0) > 1) return [];
  const changes = madeOf(outcome, "delete", "update").filter(
    ({ operation }) => operation.subscriber === subscriber,
  );
  const switches = changes.filter(
    ({ operation }) => operation.name === "update" && operation.active !== undefined,
  );
  return changes.filter(
    (made) =>
      isDone(made) &&
      (made.operation.name === "delete" || (made.operation.active === false && switches.length === 1)),
  );
}
