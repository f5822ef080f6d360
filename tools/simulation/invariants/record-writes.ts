import { isDeepStrictEqual } from "node:util";
import { isSectionReference } from "#candidates/store/item/section-reference";
import { type Amended, EMPTIED, type Operation } from "../operations.ts";
import {
  type Item,
  madeOf,
  mayActAfter,
  type Named,
  recordsOf,
  senderOf,
  stepsAbout,
  textOf,
  writesOf,
} from "./evidence.ts";
import type { Invariant } from "./invariant.ts";

// What each write of a record may change. It takes nothing from the code that it judges but the stored form of a
// member.

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

/** A step that amends, and its number. */
interface Amend {
  readonly number: number;
  readonly operation: Named<"amend">;
}

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

/** A write changes one thing that the platform sets, or what one amend sent. */
function* problemsOfChange(
  before: Item,
  item: Item,
  steps: ReadonlyMap<number, Operation>,
): Generator<string> {
  const changed = changedBetween(before, item);
  const replaced = replacedBetween(before, item);
  const ofPlatform = changed.filter((name) => PLATFORM.has(name));
  const ofPartner = changed.filter((name) => !PLATFORM.has(name));
  if (ofPartner.length === 0) {
    if (ofPlatform.length > 1) yield `${ofPlatform.join()} changed at once`;
    if (replaced.length > 1) yield `the parts of ${replaced.join()} changed at once`;
    return;
  }
  if (ofPlatform.length > 0) yield `${ofPlatform.join()} changed with ${ofPartner.join()}`;
  const senders = sendersOf(item, ofPartner);
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
  for (const member of members) yield* problemsOfMember(item, member, { number, operation });
}

/** The attributes that differ and whose values can be read in both. */
function changedBetween(before: Item, item: Item): string[] {
  return Object.keys({ ...before, ...item }).filter(
    (name) =>
      !BOOKKEEPING.has(name) &&
      !isHidden(before[name]) &&
      !isHidden(item[name]) &&
      !isDeepStrictEqual(before[name], item[name]),
  );
}

/** The attributes whose parts have given way to others. */
function replacedBetween(before: Item, item: Item): string[] {
  return Object.keys(item).filter((name) => {
    const [old, next] = [hashIn(before[name]), hashIn(item[name])];
    return old !== undefined && next !== undefined && old !== next;
  });
}

/** The steps that sent the values of what a partner changed. */
function sendersOf(item: Item, ofPartner: readonly string[]): ReadonlySet<number> {
  const isCleared = ofPartner.every((name) => name === "documents" && item[name] === undefined);
  // Documents that nobody is shown replace the others; they may be there from an earlier request of the step.
  const sent = isCleared ? ["documents_right_to_work"] : ofPartner;
  return new Set(sent.flatMap((name) => senderOf(item[name]) ?? []));
}

/** After an amend, each member that it sent has the value that it sent, or is empty if that is what it asked for. */
function* problemsOfMember(item: Item, member: Amended, { number, operation }: Amend): Generator<string> {
  if (operation.isEmptying && member in EMPTIED) {
    const expected = EMPTIED[member] === "" ? "" : undefined;
    const kept = Object.keys(item).filter((name) => memberOf(name) === member && item[name] !== expected);
    if (kept.length > 0) yield `step ${number} emptied ${member}, but ${kept.join()} remained`;
    return;
  }
  if (isHidden(item[member])) return;
  const isHiding = member === "documents" && operation.onlySensitive;
  if (isHiding && item["documents"] !== undefined) yield `step ${number} left documents that it replaced`;
  const attribute = isHiding ? "documents_right_to_work" : member;
  if (senderOf(item[attribute]) !== number) yield `step ${number} sent ${member}, but did not set it`;
}

/** Whether a value is kept in parts, where a write does not show it. */
export function isHidden(value: unknown): boolean {
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

export const nothingIsWrittenTwice: Invariant = {
  sentence: "A call whose effect is already in place writes nothing.",
  *violations(outcome) {
    for (const [key, people] of recordsOf(outcome)) {
      const amends = stepsAbout(outcome, people, "amend");
      let before: string | undefined;
      for (const { at, item } of writesOf(outcome, key)) {
        if (!item) continue;
        const { updatedAt, writeId, event, ...content } = item;
        const text = textOf(content);
        const isByAmend = amends.some((amend) => amend.startedAt <= at && mayActAfter(amend, at));
        if (text === before && !isByAmend)
          yield `${key} was written at ${updatedAt} without a change (${writeId})`;
        before = event ? undefined : text;
      }
    }
  },
};

export const versionsMoveForward: Invariant = {
  sentence: "Each write of a record has a later version than the previous one.",
  *violations(outcome) {
    for (const key of recordsOf(outcome).keys()) {
      let before = "";
      for (const { item } of writesOf(outcome, key)) {
        if (!item) continue;
        const version = String(item["updatedAt"]);
        if (version <= before) yield `${key} went from ${before} to ${version}`;
        before = version;
      }
    }
  },
};
