import { isDeepStrictEqual } from "node:util";
import { AMENDED, type Amended, EMPTIED, HIDDEN } from "../operations.ts";
import type { StoryOutcome } from "../outcome.ts";
import type { TableWrite } from "../write-history.ts";
import {
  eventsOf,
  finalItem,
  isDone,
  type Made,
  madeOf,
  mayActAfter,
  recordKey,
  recordsOf,
  senderOf,
  stepsAbout,
  stepsIn,
  writesOf,
} from "./evidence.ts";
import type { Invariant } from "./invariant.ts";

/** The members that a create sets. */
const CREATED: readonly Amended[] = ["headline", "firstName", "phone", "documents"];

interface MemberWrite {
  readonly made: Made;
  readonly members: readonly Amended[];
}

function memberWritesOf(outcome: StoryOutcome, people: readonly number[]): MemberWrite[] {
  return [
    ...stepsAbout(outcome, people, "create").map((made) => ({ made, members: CREATED })),
    ...stepsAbout(outcome, people, "amend").map((made) => ({
      made,
      members: made.operation.name === "amend" ? made.operation.members : [],
    })),
  ];
}

/** Whether a value that `by` sent must have given way to that of `later`. */
function isOverwritten(by: Made | undefined, later: Made): boolean {
  if (by === undefined) return true;
  return by !== later && by.isCertain && by.endedAt < later.startedAt;
}

export const amendsHold: Invariant = {
  sentence: "After concurrent amends, each member has the value of the amend that was acknowledged last.",
  *violations(outcome) {
    for (const [key, people] of recordsOf(outcome)) {
      const memberWrites = memberWritesOf(outcome, people);
      const bySteps = new Map(memberWrites.map(({ made }) => [made.step.number, made]));
      const lifeBegan = eventsOf(outcome, key).findLast(({ type }) => type === "candidate.received")?.at ?? 0;
      const wasErased = eventsOf(outcome, key).some(({ type }) => type === "candidate.erased");
      const item = finalItem(outcome, key);
      const amends = memberWrites.filter(({ made }) => made.operation.name === "amend" && isDone(made));
      const hidesDocuments = memberWrites.some(({ made }) => setsSensitive(made));
      const emptied = memberWrites.flatMap(({ made }) => emptiedBy(made));
      for (const member of AMENDED) {
        if ((member === "documents" && hidesDocuments) || emptied.includes(member)) continue;
        for (const { made, members } of amends) {
          if (!members.includes(member)) continue;
          if (
            item &&
            item["status"] !== "erased" &&
            made.startedAt > lifeBegan &&
            !isReference(item[member])
          ) {
            const sender = senderOf(item[member]);
            const by = sender === undefined ? undefined : bySteps.get(sender);
            if (isOverwritten(by, made))
              yield `step ${made.step.number} set ${member} of ${key}, but the value is that of step ${sender}`;
          }
          const ending = outcome.lastReads.find(({ person }) => people.includes(person))?.byHandle;
          if (ending?.status === 200 && made.startedAt > lifeBegan && isReadable(outcome, member)) {
            const sender = senderOf((ending.body as Record<string, unknown>)[member]);
            const by = sender === undefined ? undefined : bySteps.get(sender);
            if (isOverwritten(by, made))
              yield `step ${made.step.number} set ${member} of ${key}, but what is read at the end is that of step ${sender}`;
          }
          if (wasErased) continue;
          for (const { completed, calls, step } of stepsAbout(outcome, people, "get", "find")) {
            if (completed?.response.status !== 200 || calls.length > 1 || completed.startedAt < made.endedAt)
              continue;
            if (!isReadable(outcome, member)) continue;
            const sender = senderOf((completed.response.body as Record<string, unknown>)[member]);
            const by = sender === undefined ? undefined : bySteps.get(sender);
            if (isOverwritten(by, made)) {
              yield `step ${step.number} read the ${member} of step ${sender}, although step ${made.step.number} had replaced it`;
            }
          }
        }
      }
    }
  },
};

/** Whether an amend replaces the documents by one that no reader sees. */
function setsSensitive({ operation }: Made): boolean {
  return operation.name === "amend" && operation.onlySensitive === true;
}

/** The members that a step empties. */
export function emptiedBy({ operation }: Made): readonly Amended[] {
  if (operation.name !== "amend" || !operation.isEmptying) return [];
  return operation.members.filter((member) => member in EMPTIED);
}

export function isReference(value: unknown): boolean {
  return typeof value === "object" && value !== null && "hash" in value;
}

/** Whether reads show the value of a member that its last amend sent. */
function isReadable(outcome: StoryOutcome, member: Amended): boolean {
  return !HIDDEN.has(member) && !(member === "assessments" && overridesPartner(outcome));
}

function overridesPartner(outcome: StoryOutcome): boolean {
  return madeOf(outcome, "assess").some(({ operation }) => operation.provider === "partner");
}

export const amendShowsItself: Invariant = {
  sentence: "The response to an amend contains the values that the amend set.",
  *violations(outcome) {
    for (const made of madeOf(outcome, "amend")) {
      const { completed, operation, step } = made;
      if (completed?.response.status !== 200) continue;
      for (const member of operation.members) {
        if (member === "documents" && operation.onlySensitive) continue;
        if (!isReadable(outcome, member)) continue;
        const shown = (completed.response.body as Record<string, unknown>)[member];
        if (emptiedBy(made).includes(member)) {
          const isOfPlatform = member === "assessments" && madeOf(outcome, "assess").length > 0;
          const isShown = isOfPlatform || isDeepStrictEqual(shown, EMPTIED[member]);
          if (!isShown && !isInParts(outcome, operation.person))
            yield `step ${step.number} emptied ${member}, but its response contains ${JSON.stringify(shown)}`;
          continue;
        }
        const sender = senderOf(shown);
        // Of a candidate in parts that is amended again meanwhile, the response shows what is there then.
        const isReplaced =
          isInParts(outcome, operation.person) &&
          madeOf(outcome, "amend").some((other) => {
            const isEmptied = emptiedBy(other).includes(member) && isDeepStrictEqual(shown, EMPTIED[member]);
            return (other.step.number === sender || isEmptied) && mayActAfter(other, made.startedAt);
          });
        if (sender !== step.number && !isReplaced)
          yield `step ${step.number} set ${member}, but its response contains that of step ${sender}`;
      }
    }
  },
};

export const versionsAreMatched: Invariant = {
  sentence: "An amend with If-Match succeeds only if the record has the version that the header names.",
  *violations(outcome) {
    for (const { operation, calls, completed, startedAt, endedAt, step } of madeOf(
      outcome,
      "amend",
      "amendNothing",
    )) {
      const writes = writesOf(outcome, recordKey(outcome, operation.person));
      const named = calls.flatMap(({ ifMatch }) => ifMatch ?? []);
      if (named.length < calls.length) continue;
      const isNamed = (write: TableWrite | undefined) =>
        named.some((version) => version.includes(String(write?.item?.["updatedAt"])));
      const first = writes.findIndex(({ item }) => item && stepsIn(item).has(step.number));
      if (first >= 0 && !isNamed(writes[first - 1]))
        yield `step ${step.number} changed the version ${writes[first - 1]?.item?.["updatedAt"]}, but its If-Match was ${named.join()}`;
      const seen = [
        writes.findLast(({ at }) => at <= startedAt),
        ...writes.filter(({ at }) => at > startedAt && at <= endedAt),
      ];
      if (first < 0 && completed && completed.response.status < 300 && !seen.some(isNamed))
        yield `step ${step.number} was not refused, although its If-Match ${named.join()} matched no version`;
    }
  },
};

function isInParts(outcome: StoryOutcome, person: number): boolean {
  const key = recordKey(outcome, person);
  return outcome.writes.some(({ pk, sk }) => pk === key && sk.startsWith("PART#"));
}
