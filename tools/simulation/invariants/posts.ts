import { MINUTE } from "#runtime/durations";
import type { Post } from "../history.ts";
import type { StoryOutcome } from "../outcome.ts";
import { allEvents, eventIdOf, UNDER_WAY_MS } from "./delivery-evidence.ts";
import {
  endpointEventsOf,
  eventsOf,
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
      if (body.id !== id || body.type !== post.headers["X-RR-Event-Type"])
        yield `${id} is posted with the body of ${body.id}`;
      const first = firstPosts.get(id) ?? post;
      firstPosts.set(id, first);
      if (
        post.body !== first.body &&
        !lacksReasons(outcome, first, post) &&
        !lacksReasons(outcome, post, first)
      )
        yield `${id} is posted in two forms`;
      if (body.sample) continue;
      const { orgId } = outcome.story.subscribers[post.subscriber] ?? {};
      const endpointEvent = endpointEvents.get(id);
      if (endpointEvent) {
        const { webhookEndpointId, ...said } = body.data;
        if (orgId !== endpointEvent.orgId) yield `${id} of ${endpointEvent.orgId} is posted to ${orgId}`;
        const isSame =
          body.type === endpointEvent.type &&
          webhookEndpointId === endpointEvent.endpointId &&
          Object.entries(said).every(([name, value]) => endpointEvent.item[name] === value);
        if (!isSame) yield `${id} is posted as ${post.body}`;
        continue;
      }
      const event = events.get(id);
      if (!event) {
        yield `${body.type} (${id}) is posted, but was never fired`;
        continue;
      }
      if (orgId !== event.orgId) yield `${id} of ${event.orgId} is posted to ${orgId}`;
      const isSame =
        body.type === event.type &&
        body.sequence === event.sequence &&
        body.data.status === event.item["status"];
      if (!isSame) yield `${id} is posted as ${body.type} ${body.sequence} ${body.data.status}`;
      if (post.startedAt < event.at) yield `${id} is posted before it was fired`;
    }
  },
};

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
      const registrations = registrationsOf(outcome, subscriber);
      if (registrations.length !== 1 || (registrations[0]?.calls.length ?? 0) > 1) continue;
      const updates = madeOf(outcome, "update").filter(
        ({ operation }) => operation.subscriber === subscriber,
      );
      for (const ended of madeOf(outcome, "delete", "update")) {
        const { operation, endedAt } = ended;
        if (operation.subscriber !== subscriber || !isDone(ended)) continue;
        const isToggled = updates.filter((each) => each.operation.active !== undefined).length > 1;
        if (operation.name === "update" && (operation.active !== false || isToggled)) continue;
        for (const post of outcome.posts) {
          if (post.url !== url || post.startedAt <= endedAt + UNDER_WAY_MS) continue;
          if (JSON.parse(post.body).sample && operation.name === "update") continue;
          yield `${url} is posted to ${Math.round((post.startedAt - endedAt) / 1000)} s after step ${ended.step.number}`;
        }
      }
    }
  },
};
