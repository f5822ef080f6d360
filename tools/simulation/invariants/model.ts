import { isDeepStrictEqual } from "node:util";
import { unpackMember } from "#candidates/store/item/member-codec";
import { isSectionReference } from "#candidates/store/item/section-reference";
import { EMPTIED, type Operation } from "../operations.ts";
import {
  eventsOf,
  type Fired,
  finalItem,
  type Item,
  isDone,
  type Made,
  madeOf,
  mayActAfter,
  recordKey,
  recordsOf,
  senderOf,
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
function statusesAfter(type: string, before: Statuses, whenRevoked: Statuses): Statuses {
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
    default:
      return before;
  }
}

export const standsWhereEventsLed: Invariant = {
  sentence: "After each write, a candidate has the statuses that follow from its events.",
  *violations(outcome) {
    for (const key of recordsOf(outcome).keys()) {
      let statuses = RECEIVED;
      let whenRevoked = RECEIVED;
      let isPromoted = false;
      let promotedAt: unknown;
      for (const { item } of writesOf(outcome, key)) {
        if (!item || item["status"] === "erased") continue;
        const { type } = (item["event"] ?? {}) as { type?: string };
        if (type === "candidate.consent_revoked") whenRevoked = statuses;
        if (type === "candidate.received") isPromoted = false;
        if (type === "candidate.promoted") isPromoted = true;
        if (type === "candidate.promoted") promotedAt = item["promotedAt"];
        if (isPromoted && item["promotedAt"] !== promotedAt)
          yield `${key} was promoted at ${promotedAt}, but its promotedAt is ${item["promotedAt"]}`;
        if ((item["promotedAt"] !== undefined) !== isPromoted)
          yield `${key} has ${isPromoted ? "no" : "a"} promotedAt after ${type ?? "a write without an event"}`;
        if (type !== undefined) statuses = statusesAfter(type, statuses, whenRevoked);
        const { status, verificationStatus, availabilityStatus } = item;
        const stored = { status, verificationStatus, availabilityStatus };
        if (!isDeepStrictEqual(stored, statuses))
          yield `${key} is ${Object.values(stored).join(", ")} after ${type ?? "a write without an event"}, instead of ${Object.values(statuses).join(", ")}`;
      }
    }
  },
};

/** What changes with any write, or with where a candidate stands. */
const BOOKKEEPING: ReadonlySet<string> = new Set([
  "availabilityStatus",
  "availabilityStatusBeforeRevocation",
  "consentGiven",
  "event",
  "itemVersion",
  "large",
  "promotedAt",
  "sequence",
  "status",
  "statusBeforeRevocation",
  "updatedAt",
  "verificationStatus",
  "writeId",
]);
/** What the platform alone sets. */
const PLATFORM: ReadonlySet<string> = new Set(["platformAssessments", "rejections", "workReadinessScore"]);
/** What a create of a story sends, beside what is the same in all. */
const CREATED = ["firstName", "lastName", "email", "phone", "headline", "address", "documents"];
/** What is the same in all creates of a person. */
const CONSTANT = [
  "pk",
  "sk",
  "externalId",
  "dateOfBirth",
  "countryOfResidence",
  "receivedAt",
  "firstSequence",
];

export const writesAreOfOneStep: Invariant = {
  sentence: "Each write of a record makes all changes of one step, and no others.",
  *violations(outcome) {
    for (const [key, people] of recordsOf(outcome)) {
      const steps = new Map(
        madeOf(outcome, "create", "amend")
          .filter(({ operation }) => people.includes(operation.person))
          .map(({ step, operation }) => [step.number, operation]),
      );
      let before: Item | undefined;
      for (const { item } of writesOf(outcome, key)) {
        if (item && item["status"] !== "erased") {
          const isNew = before === undefined || before["status"] === "erased";
          const problems = isNew
            ? problemsOfCreate(item, steps)
            : problemsOfChange(before ?? {}, item, steps);
          for (const problem of problems) yield `${key}: ${problem}`;
        }
        before = item;
      }
    }
  },
};

function* problemsOfCreate(item: Item, steps: ReadonlyMap<number, Operation>): Generator<string> {
  const number = senderOf(item["headline"]) ?? 0;
  if (steps.get(number)?.name !== "create") yield `step ${number}, which is no create, began a life`;
  for (const name of [...CREATED, "documents_identity_document"]) {
    if (!isHidden(item[name]) && senderOf(item[name]) !== number)
      yield `${name} of the new life was sent by step ${senderOf(item[name])} instead of ${number}`;
  }
  const others = Object.keys(item).filter(
    (name) =>
      !BOOKKEEPING.has(name) &&
      ![...CREATED, ...CONSTANT, "documents_identity_document"].includes(name) &&
      name !== "assessments",
  );
  if (others.length > 0) yield `the new life begins with the additional attributes ${others.join()}`;
}

function* problemsOfChange(
  before: Item,
  item: Item,
  steps: ReadonlyMap<number, Operation>,
): Generator<string> {
  const changed = Object.keys({ ...before, ...item }).filter(
    (name) =>
      !BOOKKEEPING.has(name) &&
      !isHidden(before[name]) &&
      !isHidden(item[name]) &&
      !isDeepStrictEqual(before[name], item[name]),
  );
  const replaced = Object.keys(item).filter((name) => {
    const [old, next] = [hashIn(before[name]), hashIn(item[name])];
    return old !== undefined && next !== undefined && old !== next;
  });
  const ofPlatform = changed.filter((name) => PLATFORM.has(name));
  const ofPartner = changed.filter((name) => !PLATFORM.has(name));
  if (ofPartner.length === 0) {
    if (ofPlatform.length > 1) yield `${ofPlatform.join()} changed at once`;
    if (replaced.length > 1) yield `the parts of ${replaced.join()} changed at once`;
    return;
  }
  if (ofPlatform.length > 0) yield `${ofPlatform.join()} changed with ${ofPartner.join()}`;
  const isCleared = ofPartner.every((name) => name === "documents" && item[name] === undefined);
  // Documents that nobody is shown replace the others; they may be there from an earlier request of the step.
  const sent = isCleared ? ["documents_right_to_work"] : ofPartner;
  const senders = new Set(sent.flatMap((name) => senderOf(item[name]) ?? []));
  // What empties members says who it is in another.
  const [number = senderOf(item["firstName"]) ?? 0] = senders;
  const operation = steps.get(number);
  if (senders.size > 1 || operation?.name !== "amend") {
    yield `${ofPartner.join()} changed to values of several steps: ${[...senders, number].join()}`;
    return;
  }
  const { members } = operation;
  const unasked = [...ofPartner, ...replaced].filter(
    (name) => !(members as readonly string[]).includes(memberOf(name)),
  );
  if (unasked.length > 0) yield `step ${number} changed ${unasked.join()}, which it did not send`;
  for (const member of members) {
    if (operation.isEmptying && member in EMPTIED) {
      const expected = EMPTIED[member] === "" ? "" : undefined;
      const kept = Object.keys(item).filter((name) => memberOf(name) === member && item[name] !== expected);
      if (kept.length > 0) yield `step ${number} emptied ${member}, but ${kept.join()} remained`;
      continue;
    }
    if (isHidden(item[member])) continue;
    const isHiding = member === "documents" && operation.onlySensitive;
    if (isHiding && item["documents"] !== undefined) yield `step ${number} left documents that it replaced`;
    const attribute = isHiding ? "documents_right_to_work" : member;
    if (senderOf(item[attribute]) !== number) yield `step ${number} sent ${member}, but did not set it`;
  }
}

/** Whether a value is kept in parts, where a write does not show it. */
function isHidden(value: unknown): boolean {
  return isSectionReference(value);
}

/** The hash of what is kept in parts; undefined of what is not, which may have moved in or out. */
function hashIn(value: unknown): string | undefined {
  return isSectionReference(value) ? value.hash : undefined;
}

/** The member of an amend that an attribute belongs to: sensitive documents have attributes of their own. */
function memberOf(attribute: string): string {
  return attribute.startsWith("documents_") ? "documents" : attribute;
}

export const assessmentsAreMerged: Invariant = {
  sentence:
    "A record contains the platform's assessments, and those of the partner that differ in provider or externalId.",
  *violations(outcome) {
    for (const { person, byHandle } of outcome.lastReads) {
      const item = finalItem(outcome, recordKey(outcome, person));
      if (byHandle.status !== 200 || !item) continue;
      if (isHidden(item["assessments"]) || isHidden(item["platformAssessments"])) continue;
      const listOf = (name: string) => (unpackMember(item[name]) ?? []) as readonly Assessment[];
      const platform = listOf("platformAssessments");
      const taken = new Set(platform.map(identityOf));
      const expected = [
        ...platform,
        ...listOf("assessments").filter((each) => !taken.has(identityOf(each))),
      ].map(labelOf);
      const shown = (byHandle.body as { assessments: readonly Assessment[] }).assessments.map(labelOf);
      if (!isDeepStrictEqual(shown.toSorted(), expected.toSorted()))
        yield `person ${person} reads the assessments ${shown.join()} instead of ${expected.join()}`;
    }
  },
};

interface Assessment {
  readonly provider: string;
  readonly externalId?: string | null;
  readonly name: string;
}

function identityOf({ provider, externalId }: Assessment): string {
  return `${provider} ${externalId}`;
}

function labelOf(assessment: Assessment): string {
  return `${identityOf(assessment)} ${assessment.name}`;
}

/** The event that a step must have left as the last one, when nothing else was asked for meanwhile. */
function lastEventOf({ operation }: Made): string | undefined {
  if (operation.name !== "advance") return undefined;
  switch (operation.transition) {
    case "fail-validation":
      return "candidate.validation_failed";
    case "revoke-consent":
      return "candidate.consent_revoked";
    case "erase":
      return "candidate.erased";
    default:
      return undefined;
  }
}

/** The event that decides where a candidate stands: consent given again leaves that to the one before its revocation. */
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
