import { isDeepStrictEqual } from "node:util";
import { signatureOf, standardSignatureOf } from "#webhooks/endpoints/signature";
import type { Post } from "../history.ts";
import type { StoryOutcome } from "../outcome.ts";
import {
  endpointEventsOf,
  eventsOf,
  type Fired,
  type Item,
  isCalm,
  isDone,
  isTaken,
  LATE_MS,
  madeOf,
  mayActAfter,
  meetsOnlyFaultsOfCallers,
  recordsOf,
  registrationsOf,
} from "./evidence.ts";
import type { Invariant } from "./invariant.ts";
import { parkedEventIn } from "./parked.ts";
import { CLOCKS_MS, DAY, HOUR, JITTER, MINUTE, SECOND, WAITS } from "./times.ts";

const ATTEMPTS = WAITS.length + 1;
/** An endpoint becomes inactive after five days, in ms, less what clocks are apart (docs/guides/webhooks.md). */
const LEAST_FAILING_MS = 5 * 24 * HOUR - CLOCKS_MS;
/** How long SQS keeps a dead letter, in ms (Amazon SQS message quotas). */
const LETTERS_KEPT_MS = 14 * DAY;
/** A delivery that is under way ends within its function's timeout, in ms. */
const UNDER_WAY_MS = 90 * SECOND;

/** From the start of an attempt that is cut short until its endpoint is known to be slow or on probation everywhere, in ms. */
const BEING_MARKED_MS = 15 * SECOND;

const eventIdOf = ({ headers }: Post) => headers["X-RR-Event-Id"] ?? "";
const attemptOf = ({ headers }: Post) => Number(headers["X-RR-Delivery-Attempt"]);

function allEvents(outcome: StoryOutcome): (Fired & { readonly orgId: string; readonly key: string })[] {
  return [...recordsOf(outcome).keys()].flatMap((key) =>
    eventsOf(outcome, key).map((event) => ({ ...event, key, orgId: key.split("#")[1] ?? "" })),
  );
}

interface Endpoint {
  readonly id: string;
  readonly subscriber: number;
  readonly url: string;
  readonly orgId: string;
  /** To which it has been subscribed all the time. */
  readonly eventTypes: readonly string[];
  /** From when on it is registered for certain. */
  readonly since: number;
}

/** The endpoints whose registration was acknowledged. */
function endpointsOf(outcome: StoryOutcome): Endpoint[] {
  return madeOf(outcome, "register").flatMap(({ operation, completed }) => {
    const { url = "", orgId = "" } = outcome.story.subscribers[operation.subscriber] ?? {};
    if (completed?.response.status !== 201) return [];
    const { id, eventTypes: registered } = completed.response.body as {
      id: string;
      eventTypes: readonly string[];
    };
    const changes = madeOf(outcome, "update").filter(
      (update) => update.operation.subscriber === operation.subscriber,
    );
    const eventTypes = registered.filter((type) =>
      changes.every(({ operation: { eventTypes: others = registered } }) =>
        (others as readonly string[]).includes(type),
      ),
    );
    return [{ id, subscriber: operation.subscriber, url, orgId, eventTypes, since: completed.endedAt }];
  });
}

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

function messagesIn(outcome: StoryOutcome, queue: string): string[] {
  return [...outcome.messages].flatMap(([name, bodies]) => (name.includes(queue) ? bodies : []));
}

/** Whether a fault may have kept a delivering function from writing to the table. */
function isDeliveringDisturbed(outcome: StoryOutcome): boolean {
  return outcome.faults.some(
    ({ where }) => /deliver-webhook|deliver-aside|retry-webhook/.test(where) || where === "dynamodb",
  );
}

/** Whether an endpoint was inactive at some moment of a period. */
function wasInactive({ writes }: StoryOutcome, endpointId: string, from: number, until: number): boolean {
  const ofEndpoint = writes.filter(({ sk, at }) => sk === `ENDPOINT#${endpointId}` && at <= until);
  const before = ofEndpoint.findLast(({ at }) => at < from);
  const during = ofEndpoint.filter(({ at }) => at >= from);
  return [before, ...during].some((write) => write?.item?.["active"] === false);
}

/** The same of any endpoint with an address. */
function wasInactiveAt(outcome: StoryOutcome, url: string, from: number, until: number): boolean {
  return endpointsOf(outcome).some(
    (endpoint) => endpoint.url === url && wasInactive(outcome, endpoint.id, from, until),
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
        // It was set inactive because it failed: before the event was published, or before its dead letter was redriven.
        const dropped = droppedAt(outcome, id, event.id) ?? event.at + UNDER_WAY_MS;
        if (wasInactive(outcome, id, dropped - UNDER_WAY_MS, dropped)) continue;
        yield `${event.type} (${event.id}) of ${event.key} did not reach ${url}, and is not a dead letter: ${record?.["status"] ?? "no record"}`;
      }
    }
  },
};

export const givingUpLeavesALetter: Invariant = {
  sentence:
    "When an endpoint is set inactive because it keeps failing, the delivery that failed last is a dead letter.",
  *violations(outcome) {
    const letters = messagesIn(outcome, "DeadLetters").map((body) => JSON.parse(body));
    const isPutBack = madeOf(outcome, "redrive").some(({ operation }) => operation.queue === "deliveries");
    if (isPutBack) return;
    for (const { subscriber, url, id } of endpointsOf(outcome)) {
      let wasActive = false;
      for (const { sk, at, item } of outcome.writes) {
        if (sk !== `ENDPOINT#${id}`) continue;
        const isStopped = wasActive && item?.["active"] === false && item["disabledReason"] === "failing";
        wasActive = item?.["active"] === true;
        if (!isStopped) continue;
        const failed = outcome.posts.filter(
          (post) =>
            post.subscriber === subscriber && post.startedAt <= at && post.startedAt + UNDER_WAY_MS >= at,
        );
        const isKept = letters.some(
          ({ endpointId, eventId }) =>
            endpointId === id && failed.some((post) => eventIdOf(post) === eventId),
        );
        if (!isKept) yield `${url} became inactive at ${new Date(at).toISOString()} without a dead letter`;
      }
    }
  },
};

export const inactivityDropsNothingEarly: Invariant = {
  sentence:
    "A delivery that waits for an inactive endpoint is kept until its last attempt would have been due.",
  *violations(outcome) {
    const firedAt = new Map(allEvents(outcome).map(({ id, at }) => [id, at]));
    const least = WAITS.reduce((sum, wait) => sum + wait) * (1 - JITTER);
    for (const { url, id, orgId } of endpointsOf(outcome)) {
      for (const { pk, sk, at, item } of outcome.writes) {
        if (!pk.startsWith(`ENDPOINT#${id}#`) || item?.["status"] !== "dropped" || item["reason"]) continue;
        const eventId = sk.slice("DELIVERY#".length);
        const isDeleted = !itemAt(outcome, { pk: `ENDPOINTS#${orgId}`, sk: `ENDPOINT#${id}` }, at);
        const isGone = outcome.posts.some(
          (post) => post.url === url && post.statusCode === 410 && eventIdOf(post) === eventId,
        );
        if (isDeleted || isGone || item["sample"]) continue;
        const kept = at - (firedAt.get(eventId) ?? 0);
        if (kept < least - CLOCKS_MS)
          yield `${eventId} is dropped after ${Math.round(kept / MINUTE)} minutes`;
      }
    }
  },
};

/** An item as it was at a moment. */
function itemAt(
  { writes }: StoryOutcome,
  { pk, sk }: { readonly pk: string; readonly sk: string },
  moment: number,
): Item | undefined {
  return writes.findLast((write) => write.pk === pk && write.sk === sk && write.at <= moment)?.item;
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

export const cutOnce: Invariant = {
  sentence: "Only one of the first two attempts of a delivery is cut, and only once.",
  *violations(outcome) {
    const cut = outcome.posts.filter(({ isCut }) => isCut);
    for (const posts of Map.groupBy(cut, (post) => `${post.url} ${eventIdOf(post)}`).values()) {
      const [first] = posts;
      if (!first) continue;
      const name = `${eventIdOf(first)} at ${first.url}`;
      if (posts.some((post) => attemptOf(post) > 2)) yield `${name} has a cut attempt after the second`;
      const endpoints = registrationsOf(outcome, first.subscriber).flatMap(({ calls }) => calls).length;
      if (posts.length > endpoints + 2 * endpoints * outcome.disturbances)
        yield `${name} has an attempt that is cut ${posts.length} times`;
    }
  },
};

export const slowDoNotHoldUpOthers: Invariant = {
  sentence:
    "After an attempt from the delivery queue was cut, its endpoint gets nothing from there for ten minutes; after one from the side queue, from neither.",
  *violations(outcome) {
    if (isDeliveringDisturbed(outcome)) return;
    for (const [subscriber, { url }] of outcome.story.subscribers.entries()) {
      const registrations = registrationsOf(outcome, subscriber).flatMap(({ calls }) => calls);
      if (registrations.length !== 1) continue;
      const posts = outcome.posts.filter((post) => post.url === url && post.lane !== "retry");
      for (const { startedAt, lane } of posts.filter(({ isCut }) => isCut)) {
        const later = posts.find(
          (post) =>
            (lane === "side" || post.lane === "delivery") &&
            post.startedAt > startedAt + BEING_MARKED_MS &&
            post.startedAt < startedAt + 10 * MINUTE - CLOCKS_MS,
        );
        if (later)
          yield `${url} gets ${eventIdOf(later)} from the ${later.lane} queue ${later.startedAt - startedAt} ms after its attempt from the ${lane} queue was cut`;
      }
    }
  },
};

export const newOnesStayAside: Invariant = {
  sentence: "An address gets nothing from the delivery queue until it has acknowledged a delivery.",
  *violations({ posts }) {
    const acknowledged = new Set<string>();
    for (const post of posts) {
      const { address, lane, startedAt } = post;
      if (lane === "delivery" && !acknowledged.has(address))
        yield `${address} gets ${eventIdOf(post)} from the delivery queue at ${new Date(startedAt).toISOString()}`;
      if (isTaken(post)) acknowledged.add(address);
    }
  },
};

export const samplesStayAside: Invariant = {
  sentence:
    "No sample or retry is attempted from the delivery queue, and no retry but the first from the side queue.",
  *violations(outcome) {
    for (const post of outcome.posts) {
      if (post.lane === "retry") continue;
      if (attemptOf(post) > (post.lane === "side" ? 2 : 1))
        yield `attempt ${attemptOf(post)} of ${eventIdOf(post)} comes from the ${post.lane} queue`;
      if (post.lane === "delivery" && JSON.parse(post.body).sample)
        yield `the sample ${eventIdOf(post)} comes from the delivery queue`;
    }
  },
};

export const attemptsAreBounded: Invariant = {
  sentence: "An event has a limited number of attempts at an endpoint, and they follow the retry schedule.",
  *violations(outcome) {
    const again = madeOf(outcome, "resend", "recover", "redrive").flatMap(({ calls }) => calls).length;
    const isUndisturbed = meetsOnlyFaultsOfCallers(outcome) && again === 0;
    const attempted = outcome.posts.filter(({ isCut }) => !isCut);
    for (const posts of Map.groupBy(attempted, (post) => `${post.url} ${eventIdOf(post)}`).values()) {
      const [first] = posts;
      if (!first) continue;
      const name = `${eventIdOf(first)} at ${first.url}`;
      const endpoints = registrationsOf(outcome, first.subscriber).flatMap(({ calls }) => calls).length;
      const isSample = JSON.parse(first.body).sample === true;
      const most = endpoints * (isSample ? 1 : ATTEMPTS) * (1 + again) + 2 * endpoints * outcome.disturbances;
      if (posts.length > most) yield `${name} is attempted ${posts.length} times`;
      for (const post of posts) {
        if (!(attemptOf(post) >= 1 && attemptOf(post) <= ATTEMPTS))
          yield `${name} has an attempt ${attemptOf(post)}`;
      }
      if (endpoints > 1 || again > 0) continue;
      const firedAt = Date.parse(JSON.parse(first.body).occurredAt) - CLOCKS_MS;
      const byAttempt = Map.groupBy(posts, attemptOf);
      if (isUndisturbed && [...byAttempt.values()].some((same) => same.length > 1))
        yield `${name} has an attempt that is made twice`;
      for (const [attempt, [next]] of byAttempt) {
        const before = byAttempt.get(attempt - 1)?.[0];
        const isLeftOut = wasInactiveAt(outcome, first.url, firedAt, next?.startedAt ?? 0);
        if (attempt > 1 && !before && meetsOnlyFaultsOfCallers(outcome) && !isLeftOut)
          yield `${name} has no attempt ${attempt - 1}`;
        if (!before || !next) continue;
        const waited = next.startedAt - before.startedAt;
        const wait = (WAITS[attempt - 2] ?? 0) * (1 - JITTER);
        if (waited < wait - CLOCKS_MS) yield `${name} is attempted again after ${waited} ms`;
      }
      if (isUndisturbed && !isSample) {
        const firstTaken = posts.findIndex(isTaken);
        if (firstTaken >= 0 && firstTaken < posts.length - 1)
          yield `${name} is attempted after it was acknowledged`;
      }
    }
  },
};

export const deadOnlyAtTheEnd: Invariant = {
  sentence: "A delivery is dead-lettered only after its last attempt.",
  *violations(outcome) {
    // Where faults go on for hours, those of the service's own end a delivery too.
    const { outage, faultsUntil, faults } = outcome.story;
    if (outage || faultsUntil > HOUR || faults.again) return;
    for (const letter of messagesIn(outcome, "DeadLetters").map((body) => JSON.parse(body))) {
      const posts = outcome.posts.filter((post) => eventIdOf(post) === letter.eventId);
      const attempts = new Set(posts.map(attemptOf));
      // While an endpoint is inactive, its attempts are left out.
      if (wasInactive(outcome, letter.endpointId, outcome.beginning, outcome.endedAt)) continue;
      if (attempts.size < ATTEMPTS) {
        yield `${letter.eventType} (${letter.eventId}) is a dead letter after ${attempts.size} attempts`;
      }
    }
  },
};

export const signedBySecret: Invariant = {
  sentence: "Each delivery is signed with a secret of its endpoint.",
  *violations(outcome) {
    for (const [subscriber, { url }] of outcome.story.subscribers.entries()) {
      const issued = madeOf(outcome, "register", "rotateSecret").filter(
        ({ operation }) => operation.subscriber === subscriber,
      );
      const secrets = issued.flatMap(({ calls }) =>
        calls.flatMap(
          ({ response }) => (response?.body as { signingSecret?: string } | undefined)?.signingSecret ?? [],
        ),
      );
      // A secret whose response was lost is in use, and known to nobody; so is one whose endpoint was deleted at once.
      if (issued.some(({ isCertain, completed }) => !isCertain || completed?.response.status === 404))
        continue;
      for (const post of outcome.posts) {
        if (post.url !== url) continue;
        const current = secrets.find(
          (secret) => signatureOf(post.body, secret) === post.headers["X-RR-Signature"],
        );
        const previous = secrets.find(
          (secret) => signatureOf(post.body, secret) === post.headers["X-RR-Signature-Previous"],
        );
        const eventId = eventIdOf(post);
        if (!current) yield `${eventId} is posted to ${url} with a signature of another secret`;
        const timestamp = Number(post.headers["webhook-timestamp"]);
        const expected = [current, previous]
          .flatMap((secret) => standardSignatureOf({ eventId, timestamp, body: post.body }, secret ?? ""))
          .slice(0, previous ? 2 : 1);
        if (current && post.headers["webhook-signature"] !== expected.join(" "))
          yield `${eventId} is posted to ${url} with a webhook-signature that does not match its secrets`;
      }
    }
  },
};

export const stoppedForAReason: Invariant = {
  sentence:
    "An endpoint becomes inactive only by its organisation, by a 410 from its current address, or after days of failures.",
  *violations(outcome) {
    for (const { id, subscriber } of endpointsOf(outcome)) {
      let before: Item | undefined;
      let changedAt = 0;
      for (const { sk, at, item } of outcome.writes) {
        if (sk !== `ENDPOINT#${id}`) continue;
        const isReopened = before?.["active"] === false && item?.["active"] === true;
        if (isReopened || before?.["url"] !== item?.["url"]) changedAt = at;
        const isStopped = before?.["active"] === true && item?.["active"] === false;
        const failures = outcome.posts.filter(
          ({ address, startedAt }) =>
            address === item?.["url"] && startedAt <= at && startedAt + UNDER_WAY_MS >= changedAt,
        );
        const sinceTaken = failures.slice(failures.findLastIndex(isTaken) + 1);
        const failedFor = at - (sinceTaken[0]?.startedAt ?? at);
        const isGone = outcome.posts.some(
          ({ address, statusCode, startedAt }) =>
            address === item?.["url"] &&
            statusCode === 410 &&
            startedAt <= at &&
            startedAt + UNDER_WAY_MS >= changedAt,
        );
        const isAsked = madeOf(outcome, "update").some(
          (made) =>
            made.operation.subscriber === subscriber &&
            made.operation.active === false &&
            made.startedAt <= at &&
            mayActAfter(made, at),
        );
        if (isStopped && !isGone && !isAsked && !(failedFor >= LEAST_FAILING_MS))
          yield `${id} became inactive at ${new Date(at).toISOString()}`;
        before = item;
      }
    }
  },
};

/** Whether a post is certainly of an endpoint as it was after a moment. */
function isAfter({ body, startedAt }: Post, moment: number): boolean {
  const { occurredAt } = JSON.parse(body);
  return Date.parse(occurredAt) > moment + CLOCKS_MS || startedAt > moment + UNDER_WAY_MS;
}

export const newSecretSigns: Invariant = {
  sentence:
    "After a rotation, deliveries are signed with the new secret, and for a day also with the previous one.",
  *violations(outcome) {
    for (const [subscriber, { url }] of outcome.story.subscribers.entries()) {
      const issued = madeOf(outcome, "register", "rotateSecret").filter(
        ({ operation }) => operation.subscriber === subscriber,
      );
      const [first, ...rotations] = issued;
      const isSettled = issued.every(
        (made, index) =>
          isDone(made) && made.calls.length === 1 && made.startedAt > (issued[index - 1]?.endedAt ?? 0),
      );
      if (
        first?.operation.name !== "register" ||
        !isSettled ||
        registrationsOf(outcome, subscriber).length > 1
      )
        continue;
      for (const [index, { startedAt, endedAt, completed }] of rotations.entries()) {
        const secret = secretIn((index === 0 ? first : rotations[index - 1])?.completed?.response.body);
        const until = rotations[index + 1]?.startedAt ?? Number.POSITIVE_INFINITY;
        for (const post of outcome.posts) {
          if (post.url !== url || post.startedAt > until || !isAfter(post, endedAt)) continue;
          if (signatureOf(post.body, secretIn(completed?.response.body)) !== post.headers["X-RR-Signature"])
            yield `${eventIdOf(post)} is posted to ${url} without the signature of the new secret`;
          if (post.startedAt > startedAt + 24 * HOUR - UNDER_WAY_MS) continue;
          if (signatureOf(post.body, secret) !== post.headers["X-RR-Signature-Previous"])
            yield `${eventIdOf(post)} is posted to ${url} without the signature of the previous secret`;
        }
      }
    }
  },
};

export const rotationsHold: Invariant = {
  sentence: "After two concurrent rotations of a secret, deliveries are signed with both new secrets.",
  *violations(outcome) {
    for (const [subscriber, { url }] of outcome.story.subscribers.entries()) {
      const rotations = madeOf(outcome, "rotateSecret").filter(
        ({ operation }) => operation.subscriber === subscriber,
      );
      const isSettled = rotations.every((made) => isDone(made) && made.calls.length === 1);
      const [first, second] = rotations;
      // A repeated call may have made an endpoint whose secret is not rotated.
      const registrations = registrationsOf(outcome, subscriber).flatMap(({ calls }) => calls);
      if (!first || !second || rotations.length > 2 || !isSettled || registrations.length !== 1) continue;
      if (second.startedAt > first.endedAt || second.calls.length > 1) continue;
      const endedAt = Math.max(first.endedAt, second.endedAt);
      const secrets = [first, second].map(({ completed }) => secretIn(completed?.response.body));
      for (const post of outcome.posts) {
        if (post.url !== url || !isAfter(post, endedAt)) continue;
        if (post.startedAt > second.startedAt + 24 * HOUR - UNDER_WAY_MS) continue;
        const expected = secrets.map((secret) => signatureOf(post.body, secret)).sort();
        const signatures = [post.headers["X-RR-Signature"], post.headers["X-RR-Signature-Previous"]];
        if (!isDeepStrictEqual(signatures.toSorted(), expected))
          yield `${eventIdOf(post)} is posted to ${url} without one of the two new secrets' signatures`;
      }
    }
  },
};

export const previousSecretEnds: Invariant = {
  sentence: "A day after a rotation, the previous secret no longer signs deliveries.",
  *violations(outcome) {
    for (const [subscriber, { url }] of outcome.story.subscribers.entries()) {
      const rotations = madeOf(outcome, "rotateSecret").filter(
        ({ operation }) => operation.subscriber === subscriber,
      );
      const until = Math.max(...rotations.map(({ endedAt }) => endedAt + LATE_MS)) + 24 * HOUR + UNDER_WAY_MS;
      for (const post of outcome.posts) {
        if (post.url !== url || post.startedAt < until) continue;
        if (post.headers["X-RR-Signature-Previous"] !== undefined)
          yield `${eventIdOf(post)} is posted to ${url} with the signature of an expired secret`;
      }
    }
  },
};

function secretIn(body: unknown): string {
  return (body as { signingSecret?: string } | undefined)?.signingSecret ?? "";
}

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

export const resendsAreJudged: Invariant = {
  sentence:
    "A delivery can be resent until its candidate is erased, and that of the erasure also afterwards.",
  *violations(outcome) {
    const events = allEvents(outcome);
    for (const { step, eventId, response, startedAt, endedAt = startedAt } of outcome.calls) {
      const event = events.find(({ id }) => id === eventId);
      if (!event || !response) continue;
      // Once its tombstone is gone, a candidate's sequence begins anew.
      const later = events.filter(
        ({ key, sequence, at }) => key === event.key && sequence > event.sequence && at >= event.at,
      );
      const ends = event.type === "candidate.erased" ? "candidate.received" : "candidate.erased";
      const endedFor = later.find(({ type }) => type === ends)?.at ?? Number.POSITIVE_INFINITY;
      if (response.status < 300 && endedFor < startedAt)
        yield `step ${step.number} resent ${event.type} (${eventId}) of an erased life`;
      const { message = "" } = (response.body ?? {}) as { message?: string };
      if (response.status === 400 && message.includes("has not been erased") && endedFor > endedAt)
        yield `step ${step.number} could not resend ${event.type} (${eventId}): ${message}`;
    }
  },
};

export const askedForIsPosted: Invariant = {
  sentence: "Without a fault, what is resent and a sample are posted within a minute of the request.",
  *violations(outcome) {
    for (const { step, eventId, response, startedAt, endedAt = startedAt } of outcome.calls) {
      const { operation } = step;
      if (!response || response.status >= 300 || (operation.name !== "resend" && operation.name !== "test"))
        continue;
      const { subscriber } = operation;
      const isSettled = madeOf(
        outcome,
        "register",
        "update",
        "delete",
        "requestErasure",
        "advance",
        "createBatch",
        "create",
      )
        .filter((made) => made.endedAt + LATE_MS >= startedAt && made.startedAt <= endedAt + MINUTE)
        .every((made) => operation.name === "test" && !("subscriber" in made.operation));
      if (!isSettled || !isCalm(outcome, startedAt, endedAt + MINUTE)) continue;
      const { url } = outcome.story.subscribers[subscriber] ?? {};
      if (wasInactiveAt(outcome, url ?? "", startedAt, endedAt + MINUTE)) continue;
      const isPosted = outcome.posts.some(
        (post) =>
          post.url === url &&
          post.startedAt >= startedAt &&
          post.startedAt <= endedAt + MINUTE &&
          (eventId === undefined ? JSON.parse(post.body).sample === true : eventIdOf(post) === eventId),
      );
      if (!isPosted) yield `step ${step.number} asked for a ${operation.name} that was not posted to ${url}`;
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
