import type { Call, Response } from "../history.ts";
import type { Operation } from "../operations.ts";
import type { StoryOutcome } from "../outcome.ts";
import {
  eventsOf,
  type Fired,
  finalItem,
  type Item,
  isDone,
  LATE_MS,
  type Made,
  madeOf,
  mayActAfter,
  recordsOf,
  stepsIn,
  writesOf,
} from "./evidence.ts";
import type { Invariant } from "./invariant.ts";

/** The events that may come next, by the last one; "" before the first. Consent given again returns to where it was. */
const NEXT: Readonly<Record<string, readonly string[]>> = {
  "": ["candidate.received"],
  "candidate.received": ["verified", "promoted", "validation_failed", "consent_revoked", "erased"].map(named),
  "candidate.verified": ["promoted", "validation_failed", "consent_revoked", "erased"].map(named),
  "candidate.promoted": ["verified", "consent_revoked", "erased"].map(named),
  "candidate.validation_failed": [
    "verified",
    "promoted",
    "validation_failed",
    "consent_revoked",
    "erased",
  ].map(named),
  "candidate.consent_revoked": ["consent_restored", "erased"].map(named),
  "candidate.erased": ["candidate.received"],
};

function named(type: string): string {
  return `candidate.${type}`;
}

export const eventsAreGapless: Invariant = {
  sentence:
    "The sequence of a candidate's events has no gaps, even after an erasure, and every event id is unique.",
  *violations(outcome) {
    const ids = new Set<string>();
    for (const key of recordsOf(outcome).keys()) {
      const events = eventsOf(outcome, key);
      const forgotten = tombstonesGone(outcome, key);
      let before = 0;
      let beforeAt = 0;
      for (const [index, { at, sequence, id, type, item }] of events.entries()) {
        if (forgotten.some((goneAt) => goneAt > beforeAt && goneAt <= at)) before = 0;
        before += 1;
        beforeAt = at;
        if (sequence !== before)
          yield `${type} of ${key} has the sequence ${sequence}, where ${before} is expected`;
        if (ids.has(id)) yield `${id} is fired twice`;
        ids.add(id);
        const began = events.slice(0, index + 1).findLast((each) => each.type === "candidate.received");
        if (item["firstSequence"] !== began?.sequence)
          yield `${type} of ${key} has the firstSequence ${item["firstSequence"]}, which is not that of its life`;
      }
    }
  },
};

/** When what was kept of an erased person went. */
function tombstonesGone(outcome: StoryOutcome, key: string): number[] {
  return writesOf(outcome, key).flatMap(({ at, item }) => (item ? [] : [at]));
}

/** How long a tombstone stays, in ms, less what clocks are apart (docs/data-model.md). */
const TOMBSTONE_MS = 100 * 24 * 60 * 60_000 - 2_500;

export const tombstonesStay: Invariant = {
  sentence: "The tombstone of an erased candidate is kept for a hundred days.",
  *violations(outcome) {
    for (const key of recordsOf(outcome).keys()) {
      const erasures = eventsOf(outcome, key).filter(({ type }) => type === "candidate.erased");
      for (const goneAt of tombstonesGone(outcome, key)) {
        const erased = erasures.findLast(({ at }) => at <= goneAt);
        if (!erased || goneAt - erased.at < TOMBSTONE_MS)
          yield `the tombstone ${key} was removed at ${new Date(goneAt).toISOString()}`;
      }
    }
  },
};

/** All that is kept of an erased person (docs/data-model.md). */
const TOMBSTONE: ReadonlySet<string> = new Set([
  "pk",
  "sk",
  "status",
  "receivedAt",
  "promotedAt",
  "updatedAt",
  "sequence",
  "firstSequence",
  "event",
  "writeId",
  "itemVersion",
  "deleteAfter",
]);

export const tombstonesKeepNothingElse: Invariant = {
  sentence: "A tombstone contains its key, status, times, sequence and last event, and nothing else.",
  *violations(outcome) {
    for (const key of recordsOf(outcome).keys()) {
      for (const { item } of writesOf(outcome, key)) {
        if (item?.["status"] !== "erased") continue;
        const others = Object.keys(item).filter((name) => item[name] !== undefined && !TOMBSTONE.has(name));
        if (others.length > 0) yield `the tombstone ${key} contains ${others.join()}`;
      }
    }
  },
};

export const oneLifeAtATime: Invariant = {
  sentence: "Each life has one candidate.received event, and the lifecycle allows every event that follows.",
  *violations(outcome) {
    for (const key of recordsOf(outcome).keys()) {
      let last = "";
      let beforeRevocation = "";
      let isVerified = false;
      let reasons = "";
      for (const { type, item } of eventsOf(outcome, key)) {
        if (!NEXT[last]?.includes(type)) yield `${type} of ${key} follows ${last || "nothing"}`;
        if (type === "candidate.verified" && last === "candidate.promoted" && isVerified) {
          yield `${key} is verified twice`;
        }
        if (type === "candidate.received") isVerified = false;
        if (type === "candidate.verified") isVerified = true;
        if (type === "candidate.validation_failed") {
          const given = JSON.stringify((item["event"] as { reasons?: unknown }).reasons);
          if (last === type && given === reasons) yield `${key} is rejected twice for the same reasons`;
          reasons = given;
        }
        if (type === "candidate.consent_revoked") beforeRevocation = last;
        last =
          type === "candidate.consent_restored"
            ? beforeRevocation
            : type === "candidate.verified" && last === "candidate.promoted"
              ? last
              : type;
      }
    }
  },
};

/** The type of the event that a step fired, as the response to one of its calls says. */
function firedBy({ operation, calls }: Made): string | undefined {
  for (const { response } of calls) {
    const type = response && response.status < 300 ? firedAsOf(operation, response) : undefined;
    if (type !== undefined) return type;
  }
  return undefined;
}

/** The type of the event that an acknowledged call fired. */
function firedAsOf(operation: Operation, { body, headers }: Response): string | undefined {
  switch (operation.name) {
    case "create":
      return headers["Idempotent-Replayed"] ? undefined : "candidate.received";
    case "amend":
      return operation.consentGiven === false ? "candidate.consent_revoked" : undefined;
    case "requestErasure":
      return "candidate.erased";
    case "advance":
      return (body as { changed?: boolean }).changed ? TRANSITIONS[operation.transition] : undefined;
    default:
      return undefined;
  }
}

const TRANSITIONS: Readonly<Record<string, string>> = {
  verify: "candidate.verified",
  promote: "candidate.promoted",
  "fail-validation": "candidate.validation_failed",
  "revoke-consent": "candidate.consent_revoked",
  erase: "candidate.erased",
};

export const acknowledgedFires: Invariant = {
  sentence: "An acknowledged transition fires its event between the request and the response.",
  *violations(outcome) {
    for (const [key, people] of recordsOf(outcome)) {
      const events = eventsOf(outcome, key);
      for (const made of madeOf(outcome)) {
        const { operation, startedAt, endedAt, step } = made;
        if (!("person" in operation) || !people.includes(operation.person)) continue;
        const type = firedBy(made);
        if (type === undefined) continue;
        const fired = events.some(
          (event) => event.type === type && event.at >= startedAt && event.at <= endedAt,
        );
        if (!fired && !isOfTheSameMillisecond(stepsAbout(outcome, people), made))
          yield `step ${step.number} was acknowledged, but fired no ${type}`;
      }
    }
  },
};

/** Whether a create is taken for another one that names the same millisecond, on a clock that is behind. */
function isOfTheSameMillisecond(others: readonly Made[], { step, operation, completed }: Made): boolean {
  const receivedAt = (body: unknown) => (body as { receivedAt?: string }).receivedAt;
  return (
    operation.name === "create" &&
    others.some(
      (other) =>
        other.step !== step &&
        other.operation.name === "create" &&
        firedBy(other) !== undefined &&
        receivedAt(other.completed?.response.body) === receivedAt(completed?.response.body),
    )
  );
}

const STATUS_AFTER: Readonly<Record<string, readonly string[]>> = {
  verify: ["verified", "promoted"],
  promote: ["promoted"],
  "fail-validation": ["validation_failed"],
  "revoke-consent": ["consent_revoked"],
  erase: ["erased"],
};

/** The events that a call may fire. */
function mayFire({ operation }: Made, type: string): boolean {
  switch (operation.name) {
    case "create":
      return type === "candidate.received";
    case "amend":
      return type === (operation.consentGiven ? "candidate.consent_restored" : "candidate.consent_revoked");
    case "requestErasure":
      return type === "candidate.erased";
    case "advance":
      return type === TRANSITIONS[operation.transition];
    default:
      return false;
  }
}

export const firingIsAcknowledged: Invariant = {
  sentence:
    "The response to a call that fired an event shows this, unless it was lost or another write followed.",
  *violations(outcome) {
    for (const [key, people] of recordsOf(outcome)) {
      const steps = stepsAbout(outcome, people);
      const writes = writesOf(outcome, key);
      for (const { type, at, id, item } of eventsOf(outcome, key)) {
        const next =
          writes[writes.findIndex((write) => write.item === item) + 1]?.at ?? Number.POSITIVE_INFINITY;
        const callers = steps.filter(
          (made) => mayFire(made, type) && made.startedAt <= at && at <= made.endedAt + LATE_MS,
        );
        const isTold = callers.some(
          (made) =>
            !made.isCertain ||
            next <= made.endedAt ||
            TOLD_NOTHING.has(made.operation.name) ||
            firedBy(made) === type,
        );
        if (callers.length > 0 && !isTold)
          yield `${type} (${id}) of ${key} was fired by a call whose response says otherwise`;
      }
    }
  },
};

/** Operations whose responses are the same whether they fired an event or found it in effect. */
const TOLD_NOTHING: ReadonlySet<string> = new Set(["amend", "requestErasure"]);

function stepsAbout(outcome: StoryOutcome, people: readonly number[]): Made[] {
  return madeOf(outcome).filter(
    ({ operation }) => "person" in operation && people.includes(operation.person),
  );
}

/**
 * Whether a call's response says that it did not fire an event. A 404 says how the candidate is now: it denies nothing
 * where another event has followed.
 */
function denies(
  { response, endedAt = Number.POSITIVE_INFINITY }: Call,
  fired: Fired,
  events: readonly Fired[],
): boolean {
  if (!response || response.status < 400 || response.status >= 500) return false;
  return response.status !== 404 || !events.some(({ at }) => at > fired.at && at <= endedAt);
}

export const onlyAsked: Invariant = {
  sentence: "Each event was caused by a separate call that was not refused.",
  *violations(outcome) {
    for (const [key, people] of recordsOf(outcome)) {
      const steps = stepsAbout(outcome, people);
      const spent = new Set<Call>();
      const events = eventsOf(outcome, key);
      for (const fired of events) {
        const { type, at, id } = fired;
        // An amend is one request, which knows no lives: the SDK's repetition may meet the next one.
        if (type === "candidate.received") {
          for (const call of spent) if (call.step.operation.name === "amend") spent.delete(call);
        }
        const callers = steps
          .filter((made) => mayFire(made, type))
          .flatMap(({ calls }) => calls)
          .filter((call) => !spent.has(call) && isWithin(call, at) && !denies(call, fired, events));
        const [caller] = callers.toSorted(isSpentBefore);
        if (caller) spent.add(caller);
        else yield `${type} (${id}) of ${key} was caused by no call`;
      }
    }
  },
};

/** A 404 can only be of an event that another one followed: such a call is spent first, then the one that ended first. */
function isSpentBefore(left: Call, right: Call): number {
  const isNotFound = ({ response }: Call) => Number(response?.status === 404);
  return isNotFound(right) - isNotFound(left) || (left.endedAt ?? 0) - (right.endedAt ?? 0);
}

/** Whether a call may have had an effect at a moment: late, when its caller got no certain response. */
function isWithin({ startedAt, endedAt = Number.POSITIVE_INFINITY }: Call, at: number): boolean {
  return startedAt <= at && at <= endedAt + LATE_MS;
}

export const lastStepHolds: Invariant = {
  sentence: "The transition that was acknowledged last determines the candidate's status.",
  *violations(outcome) {
    for (const [key, people] of recordsOf(outcome)) {
      const moves = madeOf(outcome, "create", "amend", "advance", "requestErasure").filter(
        ({ operation }) =>
          people.includes(operation.person) &&
          (operation.name !== "amend" || operation.consentGiven !== undefined),
      );
      const last = moves.find(
        (move) =>
          isDone(move) && moves.every((other) => other === move || !mayActAfter(other, move.startedAt)),
      );
      if (!last) continue;
      const status = String(finalItem(outcome, key)?.["status"] ?? "erased");
      const { operation, step } = last;
      const expected =
        operation.name === "advance"
          ? STATUS_AFTER[operation.transition]
          : operation.name === "requestErasure"
            ? ["erased"]
            : operation.name === "amend" && operation.consentGiven === false
              ? ["consent_revoked"]
              : undefined;
      if (expected && !expected.includes(status)) yield `step ${step.number} ended as ${status}`;
      if (
        !expected &&
        (status === "erased" || (operation.name === "amend" && status === "consent_revoked"))
      ) {
        yield `step ${step.number} ended as ${status}`;
      }
    }
  },
};

export const frozenIsNotRead: Invariant = {
  sentence: "A record that is erased, or whose consent is revoked, cannot be read.",
  *violations(outcome) {
    for (const [key, people] of recordsOf(outcome)) {
      const events = eventsOf(outcome, key);
      for (const { operation, calls, step } of madeOf(outcome, "get", "find")) {
        if (!people.includes(operation.person)) continue;
        for (const { startedAt, endedAt, response } of calls) {
          if (response?.status !== 200 || endedAt === undefined) continue;
          const before = events.findLast(({ at }) => at < startedAt);
          const during = events.some(({ at }) => at >= startedAt && at <= endedAt);
          const isClosed =
            before?.type === "candidate.consent_revoked" || before?.type === "candidate.erased";
          if (isClosed && !during) yield `step ${step.number} read the candidate after ${before.type}`;
        }
      }
    }
  },
};

export const canonicalIdsAreOfPromoted: Invariant = {
  sentence: "A canonical id is valid once the candidate is promoted, and not before.",
  *violations(outcome) {
    for (const [key, people] of recordsOf(outcome)) {
      const writes = writesOf(outcome, key);
      for (const made of madeOf(outcome, "get", "amend")) {
        const { operation, calls, startedAt, endedAt, step } = made;
        if (operation.by !== "id" || !people.includes(operation.person)) continue;
        const before = writes.findLast(({ at }) => at <= startedAt);
        const meanwhile = writes.filter(({ at }) => at > startedAt && at <= endedAt);
        const isStale = operation.name === "get";
        const wasPromoted = (
          isStale ? writes.filter(({ at }) => at <= endedAt) : [before, ...meanwhile]
        ).some((write) => write?.item?.["promotedAt"] !== undefined);
        const isAccepted = calls.some(({ response }) => response && response.status < 300);
        if (isAccepted && !wasPromoted)
          yield `step ${step.number} used the canonical id of ${key}, which was not promoted`;
        const isRefused = calls.some(
          ({ response }) => (response?.body as { error?: string } | undefined)?.error === "not_found",
        );
        if (isRefused && !isStale && meanwhile.length === 0 && isPromoted(before?.item))
          yield `step ${step.number} got a 404 for the canonical id of ${key}, which was promoted`;
      }
    }
  },
};

function isPromoted(item: Item | undefined): boolean {
  return item?.["promotedAt"] !== undefined && item["status"] !== "erased";
}

export const oneCallChangesOneLife: Invariant = {
  sentence: "The data of one amend request is written to only one life of a candidate.",
  *violations(outcome) {
    for (const [key, people] of recordsOf(outcome)) {
      const amends = madeOf(outcome, "amend").filter(
        ({ operation, calls }) => people.includes(operation.person) && calls.length === 1,
      );
      for (const { step } of amends) {
        const lives = new Set(
          writesOf(outcome, key).flatMap(({ item }) =>
            item && stepsIn(item).has(step.number) ? [item["firstSequence"]] : [],
          ),
        );
        if (lives.size > 1) yield `step ${step.number} changed ${lives.size} lives of ${key}`;
      }
    }
  },
};
