import type { CandidateEventType } from "#contract/events";
import type { PlatformTransition } from "#contract/platform-transition";
import {
  eventsOf,
  type Fired,
  finalItem,
  type Item,
  isDone,
  madeOf,
  mayActAfter,
  recordsOf,
  stepsIn,
  writesOf,
} from "./evidence.ts";
import type { Invariant } from "./invariant.ts";
import { tombstonesGone } from "./tombstones.ts";

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
} satisfies Record<"" | Exclude<CandidateEventType, "candidate.consent_restored">, readonly string[]>;

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

/** An event, and what its candidate had been through before. */
interface InLife {
  readonly event: Fired;
  /** The event that decides where the candidate stood; "" before the first one. */
  readonly last: string;
  /** Whether it had been verified in this life. */
  readonly wasVerified: boolean;
  /** The reasons of the rejection before. */
  readonly rejectedFor: string;
}

function* inTheirLives(events: readonly Fired[]): Generator<InLife> {
  let last = "";
  let beforeRevocation = "";
  let wasVerified = false;
  let rejectedFor = "";
  for (const event of events) {
    const { type } = event;
    yield { event, last, wasVerified, rejectedFor };
    if (type === "candidate.received") wasVerified = false;
    if (type === "candidate.verified") wasVerified = true;
    if (type === "candidate.validation_failed") rejectedFor = reasonsOf(event);
    if (type === "candidate.consent_revoked") beforeRevocation = last;
    if (type === "candidate.consent_restored") last = beforeRevocation;
    else if (!isVerifiedLate(type, last)) last = type;
  }
}

/** Whether an event verifies a candidate that is promoted already, and stays so. */
function isVerifiedLate(type: string, last: string): boolean {
  return type === "candidate.verified" && last === "candidate.promoted";
}

function reasonsOf({ item }: Fired): string {
  return JSON.stringify((item["event"] as { reasons?: unknown }).reasons);
}

export const oneLifeAtATime: Invariant = {
  sentence: "Each life has one candidate.received event, and the lifecycle allows every event that follows.",
  *violations(outcome) {
    for (const key of recordsOf(outcome).keys()) {
      for (const { event, last, wasVerified, rejectedFor } of inTheirLives(eventsOf(outcome, key))) {
        const { type } = event;
        if (!NEXT[last]?.includes(type)) yield `${type} of ${key} follows ${last || "nothing"}`;
        if (isVerifiedLate(type, last) && wasVerified) yield `${key} is verified twice`;
        const isRejectedAgain = type === "candidate.validation_failed" && last === type;
        if (isRejectedAgain && reasonsOf(event) === rejectedFor)
          yield `${key} is rejected twice for the same reasons`;
      }
    }
  },
};

const STATUS_AFTER: Readonly<Record<PlatformTransition, readonly string[]>> = {
  verify: ["verified", "promoted"],
  promote: ["promoted"],
  "fail-validation": ["validation_failed"],
  "revoke-consent": ["consent_revoked"],
  erase: ["erased"],
};

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
