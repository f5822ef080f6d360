import { type FeedEvent, isEndpointEvent } from "#contract/events";
import { DAY } from "#runtime/durations";
import { readFeedItem } from "#webhooks/feed/feed-item";
import type { StoryOutcome } from "../outcome.ts";
import { endpointEventsOf, eventsOf, madeOf, meetsOnlyFaultsOfCallers, recordsOf } from "./evidence.ts";
import type { Invariant } from "./invariant.ts";
import { CLOCKS_MS, timeOf } from "./times.ts";

/** How long events are kept, in ms (docs/decisions/0045). */
const KEPT_MS = 30 * DAY;

/** How far the position of an item is ahead of its put, in ms; a frozen process repeats a put much later. */
const AHEAD_MS = 3_000;

/** An event is published within this time of its write, in ms, unless there is a fault. */
const PUBLISHED_MS = 20_000;

/** A recovery reads the feed until this long after the end of its period, in ms (docs/decisions/0046). */
const READ_AFTER_MS = 5_000;

/** An event that the feed must hold. */
interface Expected {
  readonly at: number;
  readonly id: string;
  readonly type: string;
  /** The key of its candidate, or the id of its endpoint. */
  readonly about: string;
  /** Of the candidate; 0 of an endpoint's event. */
  readonly sequence: number;
}

/** The events of an organisation that the feed must hold, in the order in which they fired. */
function expectedOf(outcome: StoryOutcome, orgId: string, since: number): Expected[] {
  const ofCandidates = [...recordsOf(outcome).keys()]
    .filter((key) => key.startsWith(`CANDIDATE#${orgId}#`))
    .flatMap((key) => eventsOf(outcome, key).map((event) => ({ ...event, about: key })));
  const ofEndpoints = endpointEventsOf(outcome)
    .filter((event) => event.orgId === orgId)
    .map((event) => ({ ...event, sequence: 0, about: event.endpointId }));
  return [...ofCandidates, ...ofEndpoints].filter(({ at }) => at >= since);
}

/** Whether events could not be published for so long that they became dead letters. */
function areLeftUnpublished({ messages }: StoryOutcome): boolean {
  return [...messages].some(([queue, bodies]) => queue.includes("UnreadableEvents") && bodies.length > 0);
}

export const feedMissesNothing: Invariant = {
  sentence: "A reader that follows the cursor of the event feed receives every event.",
  *violations(outcome) {
    const { story, beginning, endedAt } = outcome;
    const isLong = endedAt - beginning >= KEPT_MS;
    for (const { orgId, events, complaints } of outcome.feedReads) {
      for (const complaint of complaints) yield `a reader of ${orgId} got ${complaint}`;
      if (areLeftUnpublished(outcome) || (isLong && story.steps.some(({ at }) => at >= KEPT_MS))) continue;
      const received = new Set(events.map(({ id }) => id));
      for (const { id, type } of expectedOf(outcome, orgId, beginning))
        if (!received.has(id)) yield `a reader of ${orgId} never received ${type} ${id}`;
    }
  },
};

export const feedIsWhole: Invariant = {
  sentence:
    "The event feed has every event of the last 30 days, with an externalId until the candidate is erased.",
  *violations(outcome) {
    if (areLeftUnpublished(outcome)) return;
    for (const { orgId, events, complaints } of outcome.feedRereads) {
      for (const complaint of complaints) yield `a new reader of ${orgId} got ${complaint}`;
      const byId = new Map(events.map((event) => [event.id, event]));
      for (const { id, type } of expectedOf(outcome, orgId, outcome.endedAt - KEPT_MS + DAY)) {
        if (byId.get(id)?.type !== type) yield `the feed of ${orgId} does not contain ${type} ${id}`;
      }
      for (const event of byId.values()) yield* wrongIdentifiers(outcome, orgId, event);
    }
  },
};

function* wrongIdentifiers(outcome: StoryOutcome, orgId: string, event: FeedEvent): Generator<string> {
  if (isEndpointEvent(event) || event.type === "candidate.erased") return;
  const { stagedId, externalId } = event.data;
  const person = outcome.story.people.find(
    (each) => each.orgId === orgId && outcome.handleOf(each) === stagedId,
  );
  const [status, firstSequence] = lifeOf(outcome, orgId, stagedId);
  const isErased = status === undefined || status === "erased" || event.sequence < firstSequence;
  const expected = isErased ? null : person?.externalId;
  if (externalId !== expected) yield `${event.id} has the externalId ${externalId} and not ${expected}`;
  if (event.type === "candidate.validation_failed" && (event.data.reasons === null) !== isErased)
    yield `${event.id} has the reasons ${JSON.stringify(event.data.reasons)}`;
}

function lifeOf(outcome: StoryOutcome, orgId: string, stagedId: string): [unknown, number] {
  const pk = `CANDIDATE#${orgId}#${stagedId.replace("staged_", "")}`;
  const item = outcome.items.find((each) => each["pk"] === pk && each["sk"] === "RECORD");
  return [item?.["status"], Number(item?.["firstSequence"] ?? 1)];
}

export const feedIsInOrder: Invariant = {
  sentence:
    "In a story without faults of AWS, the feed has each event once, and those of a candidate in their order.",
  *violations(outcome) {
    if (!meetsOnlyFaultsOfCallers(outcome)) return;
    const firedAt = new Map(
      outcome.feedRereads.flatMap(({ orgId }) => expectedOf(outcome, orgId, 0)).map(({ id, at }) => [id, at]),
    );
    for (const { orgId, events } of [...outcome.feedReads, ...outcome.feedRereads]) {
      const ids = events.map(({ id }) => id);
      if (new Set(ids).size < ids.length)
        yield `a reader of ${orgId} received ${ids.length - new Set(ids).size} events twice`;
      const ofCandidates = events.filter((event) => !isEndpointEvent(event));
      for (const [stagedId, own] of Map.groupBy(ofCandidates, ({ data }) => data.stagedId)) {
        const times = own.map(({ id }) => firedAt.get(id) ?? 0);
        if (times.some((at, index) => at < (times[index - 1] ?? 0) - CLOCKS_MS))
          yield `a reader of ${orgId} received the events of ${stagedId} in the order ${own.map(({ sequence }) => sequence).join()}`;
      }
    }
  },
};

export const feedSelects: Invariant = {
  sentence:
    "A reader that asks for some event types, or since a time, receives all of those types, and since that time.",
  *violations(outcome) {
    const { types = [], since } = outcome.selection;
    for (const { orgId, events, complaints } of outcome.selected) {
      for (const complaint of complaints) yield `a selecting reader of ${orgId} got ${complaint}`;
      const received = new Set(events.map(({ id }) => id));
      const unasked = events.filter(({ type }) => !types.includes(type));
      if (unasked.length > 0) yield `a reader of ${orgId} received ${unasked.map(({ type }) => type).join()}`;
      const from = since === undefined ? 0 : Date.parse(since);
      const all = outcome.feedRereads.find((read) => read.orgId === orgId)?.events ?? [];
      for (const { id, type, occurredAt } of all) {
        const isAsked = types.includes(type) && Date.parse(occurredAt) >= from;
        if (isAsked && !received.has(id))
          yield `a reader of ${orgId} since ${since} did not receive ${type} ${id}`;
      }
      if (!meetsOnlyFaultsOfCallers(outcome)) continue;
      const early = events.filter(({ occurredAt }) => Date.parse(occurredAt) < from - PUBLISHED_MS);
      if (early.length > 0)
        yield `a reader of ${orgId} since ${since} received an event of ${early[0]?.occurredAt}`;
    }
  },
};

export const feedItemsExpire: Invariant = {
  sentence: "The feed keeps each event for 31 days from its position, which is hardly ahead of its put.",
  *violations(outcome) {
    for (const { at, pk, sk, item } of outcome.writes) {
      if (!pk.startsWith("FEED#") || !item) continue;
      const position = Date.parse(sk.split("#")[0] ?? "");
      const keptFor = Number(item["deleteAfter"]) * 1_000 - position;
      if (Math.abs(keptFor - KEPT_MS - DAY) > 1_000) yield `${pk} ${sk} is kept for ${keptFor} ms`;
      if (position - at > AHEAD_MS) yield `${pk} ${sk} is put at ${new Date(at).toISOString()}`;
    }
  },
};

export const recoveriesLeaveNothingOut: Invariant = {
  sentence:
    "A completed recovery has sent every event of its period that was published at most five seconds after it and that the endpoint had not acknowledged.",
  *violations(outcome) {
    for (const recovery of outcome.items.filter(({ sk }) => String(sk).startsWith("RECOVERY#"))) {
      if (recovery["status"] !== "completed") continue;
      const { orgId, endpointId, since, until, eventTypes } = recovery;
      const subscriber = madeOf(outcome, "register").find(
        ({ completed }) => (completed?.response.body as { id?: string } | undefined)?.id === endpointId,
      )?.operation.subscriber;
      const published = publishedUntil(outcome, String(orgId), timeOf(until) + READ_AFTER_MS);
      for (const event of expectedOf(outcome, String(orgId), timeOf(since) + CLOCKS_MS)) {
        const isAsked = (eventTypes as readonly string[]).includes(event.type);
        if (!isAsked || event.at >= Date.parse(String(until)) - CLOCKS_MS) continue;
        if (event.about === endpointId || isGone(outcome, event) || !published.has(event.id)) continue;
        const isRecorded = outcome.items.some(
          (item) => item["endpointId"] === endpointId && item["sk"] === `DELIVERY#${event.id}`,
        );
        const isPosted = outcome.posts.some(
          (post) => post.subscriber === subscriber && post.headers["X-RR-Event-Id"] === event.id,
        );
        if (!isRecorded && !isPosted) yield `${recovery["id"]} did not send ${event.type} ${event.id}`;
      }
    }
  },
};

/** The ids of the events that an organisation's feed has up to a time, or had until they expired. */
function publishedUntil({ writes }: StoryOutcome, orgId: string, time: number): Set<string> {
  const items = new Map(
    writes.flatMap(({ pk, sk, item }) =>
      item && pk.startsWith(`FEED#${orgId}#`) ? [[`${pk} ${sk}`, readFeedItem(item)]] : [],
    ),
  );
  const until = new Date(time).toISOString();
  const inTime = [...items.values()].filter(({ position }) => position <= until);
  return new Set(inTime.flatMap(({ events }) => events.map(({ id }) => id)));
}

/** Whether nothing of an event may be sent any more, since its candidate was erased. */
function isGone(outcome: StoryOutcome, { about, sequence }: Expected): boolean {
  return eventsOf(outcome, about).some(
    (later) => later.type === "candidate.erased" && later.sequence >= sequence,
  );
}
