import { isDeepStrictEqual } from "node:util";
import { unpackMember } from "#candidates/store/item/member-codec";
import type { CandidateEventType } from "#contract/events";
import type { PlatformTransition } from "#contract/platform-transition";
import type { StoryOutcome } from "../outcome.ts";
import {
  eventsOf,
  type Fired,
  type Item,
  isDone,
  type Made,
  madeOf,
  mayActAfter,
  recordsOf,
  writesOf,
} from "./evidence.ts";
import type { Invariant } from "./invariant.ts";

// A second statement of the rules of candidates, which each write of a story is compared with. It takes nothing from
// the code that it judges but the stored form of a member.

interface Statuses {
  readonly status: string;
  readonly verificationStatus: string;
  readonly availabilityStatus: string;
}

const RECEIVED: Statuses = {
  status: "received",
  verificationStatus: "in_review",
  availabilityStatus: "pending",
};

/** Where an event leads from where a candidate stood; consent given again leads back to where it was revoked. */
function statusesAfter(type: CandidateEventType, before: Statuses, whenRevoked: Statuses): Statuses {
  switch (type) {
    case "candidate.received":
      return RECEIVED;
    case "candidate.verified":
      return {
        ...before,
        status: before.status === "promoted" ? "promoted" : "verified",
        verificationStatus: "verified",
      };
    case "candidate.promoted":
      return { ...before, status: "promoted", availabilityStatus: "available" };
    case "candidate.validation_failed":
      return { ...before, status: "validation_failed", availabilityStatus: "pending" };
    case "candidate.consent_revoked":
      return { ...before, status: "consent_revoked", availabilityStatus: "pending" };
    case "candidate.consent_restored":
      return whenRevoked;
    case "candidate.erased":
      return before;
  }
}

/** A write of a candidate that is not erased, and where its events so far have led it. */
interface Standing {
  readonly item: Item;
  readonly statuses: Statuses;
  /** The promotion of this life, if there has been one. */
  readonly promotion: { readonly at: unknown } | undefined;
  /** The type of the write's event, or that it had none. */
  readonly cause: string;
}

function* standingsOf(outcome: StoryOutcome, key: string): Generator<Standing> {
  let statuses = RECEIVED;
  let whenRevoked = RECEIVED;
  let promotion: Standing["promotion"];
  for (const { item } of writesOf(outcome, key)) {
    if (!item || item["status"] === "erased") continue;
    const { type } = (item["event"] ?? {}) as { type?: CandidateEventType };
    if (type === "candidate.consent_revoked") whenRevoked = statuses;
    if (type === "candidate.received") promotion = undefined;
    if (type === "candidate.promoted") promotion = { at: item["promotedAt"] };
    if (type !== undefined) statuses = statusesAfter(type, statuses, whenRevoked);
    yield { item, statuses, promotion, cause: type ?? "a write without an event" };
  }
}

export const standsWhereEventsLed: Invariant = {
  sentence: "After each write, a candidate has the statuses that follow from its events.",
  *violations(outcome) {
    for (const key of recordsOf(outcome).keys()) {
      for (const { item, statuses, promotion, cause } of standingsOf(outcome, key)) {
        const { promotedAt, status, verificationStatus, availabilityStatus } = item;
        if (promotion && promotedAt !== promotion.at)
          yield `${key} was promoted at ${promotion.at}, but its promotedAt is ${promotedAt}`;
        if ((promotedAt !== undefined) !== (promotion !== undefined))
          yield `${key} has ${promotion ? "no" : "a"} promotedAt after ${cause}`;
        const stored = { status, verificationStatus, availabilityStatus };
        if (!isDeepStrictEqual(stored, statuses))
          yield `${key} is ${Object.values(stored).join(", ")} after ${cause}, instead of ${Object.values(statuses).join(", ")}`;
      }
    }
  },
};

/** The event that a step must have left as the last one, when nothing else was asked for meanwhile. */
function lastEventOf({ operation }: Made): CandidateEventType | undefined {
  return operation.name === "advance" ? LAST_EVENT[operation.transition] : undefined;
}

/** Verifying and promoting may be in effect already, with another event after theirs. */
const LAST_EVENT: Readonly<Record<PlatformTransition, CandidateEventType | undefined>> = {
  verify: undefined,
  promote: undefined,
  "fail-validation": "candidate.validation_failed",
  "revoke-consent": "candidate.consent_revoked",
  erase: "candidate.erased",
};

/**
 * The event that decides where a candidate stands: consent given again leaves that to the one before its revocation.
 */
function lastInEffect(events: readonly Fired[]): Fired | undefined {
  let last: Fired | undefined;
  let whenRevoked: Fired | undefined;
  for (const event of events) {
    if (event.type === "candidate.consent_revoked") whenRevoked = last;
    last = event.type === "candidate.consent_restored" ? whenRevoked : event;
  }
  return last;
}

export const stepsTakeEffect: Invariant = {
  sentence:
    "When a transition is acknowledged, the candidate has its status, and the reasons that it was given.",
  *violations(outcome) {
    for (const [key, people] of recordsOf(outcome)) {
      const events = eventsOf(outcome, key);
      const moves = madeOf(outcome).filter(
        ({ operation }) =>
          "person" in operation &&
          people.includes(operation.person) &&
          ["create", "amend", "advance", "requestErasure"].includes(operation.name),
      );
      for (const made of moves) {
        const expected = lastEventOf(made);
        if (expected === undefined || !isDone(made)) continue;
        const isAlone = moves.every(
          (other) => other === made || other.startedAt > made.endedAt || !mayActAfter(other, made.startedAt),
        );
        const last = lastInEffect(events.filter(({ at }) => at <= made.endedAt));
        if (!isAlone || !last) continue;
        if (last.type !== expected) yield `step ${made.step.number} ended with ${last.type}`;
        const { reasons = [] } = last.item["event"] as { reasons?: readonly { message: string }[] };
        const { reason } = made.operation as { reason?: string };
        if (reason !== undefined && reasons[0]?.message !== `The ${reason}.`)
          yield `step ${made.step.number} rejected because the ${reason}, but the stored reason is: ${reasons[0]?.message}`;
      }
    }
  },
};

interface Rejection {
  readonly sequence: number;
  readonly reasons: unknown;
}

/** How many rejections a record keeps with their reasons. */
const KEPT_REJECTIONS = 10;

export const rejectionsAreKept: Invariant = {
  sentence: "A record keeps the reasons of its last ten rejections.",
  *violations(outcome) {
    for (const key of recordsOf(outcome).keys()) {
      let fired: Rejection[] = [];
      for (const { item } of writesOf(outcome, key)) {
        if (!item || item["status"] === "erased") fired = [];
        if (!item || item["status"] === "erased") continue;
        const { type, reasons } = (item["event"] ?? {}) as { type?: string; reasons?: unknown };
        if (type === "candidate.validation_failed")
          fired.push({ sequence: Number(item["sequence"]), reasons });
        const rejections = (unpackMember(item["rejections"]) ?? []) as readonly Rejection[];
        const kept = rejections.map(({ sequence, reasons }) => ({ sequence, reasons }));
        if (!isDeepStrictEqual(kept, fired.slice(-KEPT_REJECTIONS)))
          yield `${key} contains the rejections ${kept.map(({ sequence }) => sequence).join()} of ${fired.map(({ sequence }) => sequence).join()}`;
      }
    }
  },
};
