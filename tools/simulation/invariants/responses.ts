import { isDeepStrictEqual } from "node:util";
import { unpackMember } from "#candidates/store/item/member-codec";
import type { Call } from "../history.ts";
import type { TableWrite } from "../write-history.ts";
import {
  endpointEventsOf,
  eventsOf,
  type Fired,
  type Item,
  recordKey,
  recordsOf,
  senderOf,
  writesOf,
} from "./evidence.ts";
import type { Invariant } from "./invariant.ts";

// What callers and receivers get, compared with what was in the table at that moment.

type Body = Readonly<Record<string, unknown>>;

/** The states of an item during a call, the one that it found included. */
function statesDuring(writes: readonly TableWrite[], { startedAt, endedAt = startedAt }: Call): Item[] {
  return writes.flatMap(({ at, item }, index) => {
    const until = writes[index + 1]?.at ?? Number.POSITIVE_INFINITY;
    return item && at <= endedAt && until >= startedAt ? [item] : [];
  });
}

/** The texts of a record that its readers see as they are stored. */
const TEXTS = ["firstName", "lastName", "email", "headline", "summary", "countryOfResidence"];
const STANDING = ["status", "verificationStatus", "availabilityStatus", "workReadinessScore"];

function digestOf(key: string): string {
  return key.split("#").at(-1) ?? "";
}

/** What differs between a record that was returned and an item. */
function differences(key: string, body: Body, item: Item): string[] {
  const id = `${item["promotedAt"] === undefined ? "staged" : "cand"}_${digestOf(key)}`;
  const ofTexts = TEXTS.filter((name) => name in body && body[name] !== (unpackMember(item[name]) ?? null));
  const ofStanding = STANDING.filter((name) => body[name] !== (item[name] ?? null));
  const ofLists = ["skills", "documents"].filter((name) => {
    const stored = item[name];
    if (typeof stored === "object" && stored !== null && "hash" in stored) return false;
    const list = (unpackMember(stored) ?? []) as readonly unknown[];
    const shown = (body[name] ?? []) as readonly unknown[];
    return list.length !== shown.length || senderOf(list) !== senderOf(shown);
  });
  return [...(body["id"] === id ? [] : ["id"]), ...ofTexts, ...ofStanding, ...ofLists];
}

export const recordsAreOfOneVersion: Invariant = {
  sentence: "A record is returned as it stood at a moment of the call, whole, with the ETag of that version.",
  *violations(outcome) {
    for (const call of outcome.calls) {
      const { step, response } = call;
      const { operation } = step;
      if (response?.status !== 200 || !["get", "find", "amend", "amendNothing"].includes(operation.name))
        continue;
      if (!("person" in operation)) continue;
      const body = response.body as Body;
      const key = recordKey(outcome, operation.person);
      const states = statesDuring(writesOf(outcome, key), call);
      const version = states.find((item) => item["updatedAt"] === body["updatedAt"]);
      if (response.headers["ETag"] !== `"${body["updatedAt"]}"`)
        yield `step ${step.number} got the ETag ${response.headers["ETag"]}`;
      if (!version) {
        yield `step ${step.number} got the version ${body["updatedAt"]}, which was not there`;
        continue;
      }
      const different = differences(key, body, version);
      if (different.length > 0)
        yield `step ${step.number} got another ${different.join()} than its version has`;
    }
  },
};

export const platformGetsTheStanding: Invariant = {
  sentence: "The response to the platform contains the standing of the candidate at a moment of the call.",
  *violations(outcome) {
    for (const call of outcome.calls) {
      const { step, response } = call;
      const { operation } = step;
      if (response?.status !== 200 || !["advance", "score", "assess"].includes(operation.name)) continue;
      if (!("person" in operation)) continue;
      const { changed, stagedId, id, ...standing } = response.body as Body;
      const key = recordKey(outcome, operation.person);
      const writes = writesOf(outcome, key);
      const version = statesDuring(writes, call).find((item) => item["updatedAt"] === standing["updatedAt"]);
      if (!version) {
        yield `step ${step.number} got the version ${standing["updatedAt"]}, which was not there`;
        continue;
      }
      const expected = Object.fromEntries(Object.keys(standing).map((name) => [name, version[name] ?? null]));
      const isNamed =
        stagedId === `staged_${digestOf(key)}` &&
        id === (version["promotedAt"] === undefined ? null : `cand_${digestOf(key)}`);
      if (!isDeepStrictEqual(standing, expected) || !isNamed)
        yield `step ${step.number} got ${JSON.stringify(response.body)} of ${JSON.stringify(expected)}`;
      const isNew = writes.some(({ at, item }) => item === version && at >= call.startedAt);
      if (changed === true && !isNew) yield `step ${step.number} changed the candidate, but wrote nothing`;
    }
  },
};

export const createsAreReceipts: Invariant = {
  sentence:
    "The response to a create, and to its replays, names the time at which the candidate was received.",
  *violations(outcome) {
    for (const call of outcome.calls) {
      const { step, response } = call;
      if (step.operation.name !== "create" || !response || response.status >= 300) continue;
      const { receivedAt, externalId } = response.body as Body;
      const key = recordKey(outcome, step.operation.person);
      const lives = statesDuring(writesOf(outcome, key), call).filter((item) => item["status"] !== "erased");
      if (!lives.some((item) => item["receivedAt"] === receivedAt))
        yield `step ${step.number} was received at ${receivedAt}, when no life began`;
      if (externalId !== undefined && externalId !== outcome.story.people[step.operation.person]?.externalId)
        yield `step ${step.number} got the receipt of ${externalId}`;
    }
  },
};

/** What integrators see of an endpoint. */
const SHOWN = [
  "id",
  "url",
  "eventTypes",
  "active",
  "createdAt",
  "description",
  "failingSince",
  "disabledAt",
  "disabledReason",
  "lastSuccessAt",
];
/** What the response to a request about an endpoint has beside that. */
const ONCE = ["signingSecret", "previousSecretExpiresAt"];

/** Endpoints are listed in the order of their registration; ids grow too. */
function orderOf({ createdAt, sk }: Item): string {
  return `${createdAt} ${sk}`;
}

function shownOf(item: Item): Body {
  return Object.fromEntries(SHOWN.flatMap((name) => (item[name] === undefined ? [] : [[name, item[name]]])));
}

export const endpointsAreShownWhole: Invariant = {
  sentence:
    "An endpoint is returned as it stood at a moment of the call, without what only the service may know.",
  *violations(outcome) {
    for (const call of outcome.calls) {
      const { step, response } = call;
      if (!["register", "update", "rotateSecret"].includes(step.operation.name)) continue;
      if (!response || response.status >= 300) continue;
      const body = response.body as Body;
      const shown = Object.fromEntries(Object.entries(body).filter(([name]) => !ONCE.includes(name)));
      const writes = outcome.writes.filter(({ sk }) => sk === `ENDPOINT#${body["id"]}`);
      if (!statesDuring(writes, call).some((item) => isDeepStrictEqual(shownOf(item), shown)))
        yield `step ${step.number} got ${JSON.stringify(shown)}`;
    }
    for (const { orgId, endpoints } of outcome.lastLists) {
      const stored = outcome.items
        .filter(({ pk, sk }) => pk === `ENDPOINTS#${orgId}` && String(sk).startsWith("ENDPOINT#"))
        .toSorted((left, right) => orderOf(left).localeCompare(orderOf(right)));
      if (!isDeepStrictEqual(endpoints, stored.map(shownOf)))
        yield `${orgId} lists ${String(JSON.stringify(endpoints)).slice(0, 300)} instead of ${JSON.stringify(stored.map(shownOf)).slice(0, 300)}`;
    }
  },
};

/** What subscribers get of a write, but for what an erasure or later rejections remove. */
function snapshotOf(key: string, { id, type, sequence, item }: Fired, externalId: string | undefined): Body {
  const { event, status, verificationStatus, availabilityStatus, promotedAt } = item;
  const digest = digestOf(key);
  const handles = { stagedId: `staged_${digest}`, id: promotedAt === undefined ? null : `cand_${digest}` };
  const data =
    type === "candidate.erased"
      ? { ...handles, status }
      : { ...handles, externalId, status, verificationStatus, availabilityStatus };
  return { id, type, sequence, occurredAt: (event as { occurredAt?: unknown }).occurredAt, data };
}

/** What an event has to contain, and the reasons that it was given. */
interface Snapshot {
  readonly snapshot: Body;
  readonly reasons: unknown;
}

export const eventsAreSnapshots: Invariant = {
  sentence: "An event contains exactly what its write left: handles, statuses, time, sequence and reasons.",
  *violations(outcome) {
    const expected = new Map<string, Snapshot>();
    for (const [key, [person = 0]] of recordsOf(outcome)) {
      for (const fired of eventsOf(outcome, key)) {
        const snapshot = snapshotOf(key, fired, outcome.story.people[person]?.externalId);
        const { reasons, occurredAt } = fired.item["event"] as { reasons?: unknown; occurredAt?: unknown };
        if (occurredAt !== fired.item["updatedAt"])
          yield `${fired.id} occurred at ${occurredAt}, not when it was written`;
        expected.set(fired.id, { snapshot, reasons });
      }
    }
    const sent = [
      ...outcome.posts.map(({ body }) => JSON.parse(body)),
      ...[...outcome.feedReads, ...outcome.feedRereads].flatMap(({ events }) => events),
    ];
    for (const event of sent) {
      const ofCandidate = expected.get(event.id);
      if (ofCandidate) yield* problemsOfContent(event, ofCandidate);
    }
    for (const { id, item } of endpointEventsOf(outcome)) {
      const { occurredAt } = item["event"] as { occurredAt?: unknown };
      for (const event of sent) {
        if (event.id === id && event.occurredAt !== occurredAt)
          yield `${id} occurred at ${event.occurredAt}, not at ${occurredAt}`;
      }
    }
  },
};

/** An event that was posted, or read from the feed. */
interface Sent extends Body {
  readonly id: string;
  readonly data: Body & { readonly externalId?: unknown; readonly reasons?: readonly unknown[] };
}

/** What is sent is the snapshot, but for an externalId and reasons that are no longer known. */
function* problemsOfContent(event: Sent, { snapshot, reasons: given }: Snapshot): Generator<string> {
  const { apiVersion: _, data, ...envelope } = event;
  const { reasons, ...said } = data;
  const hasNoExternalId = data.externalId === null;
  const shown = { ...envelope, data: hasNoExternalId ? { ...said, externalId: undefined } : said };
  const { externalId: own, ...others } = snapshot["data"] as Body;
  const whole = {
    ...snapshot,
    data: hasNoExternalId ? { ...others, externalId: undefined } : snapshot["data"],
  };
  if (!isDeepStrictEqual(shown, whole))
    yield `${event.id} of ${own} is sent as ${JSON.stringify(shown)} instead of ${JSON.stringify(whole)}`;
  const isForgotten = hasNoExternalId || reasons?.length === 0;
  if (!isForgotten && given !== undefined && !isDeepStrictEqual(reasons, given))
    yield `${event.id} has other reasons`;
}
