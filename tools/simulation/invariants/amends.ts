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
  type Named,
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

/** A value of a member that was seen after an amend. */
interface Sight {
  /** Where it was seen. */
  readonly place: string;
  readonly value: unknown;
}

export const amendsHold: Invariant = {
  sentence: "After concurrent amends, each member has the value of the amend that was acknowledged last.",
  *violations(outcome) {
    for (const [key, people] of recordsOf(outcome)) {
      const memberWrites = memberWritesOf(outcome, people);
      const bySteps = new Map(memberWrites.map(({ made }) => [made.step.number, made]));
      const seenAfter = sightsOf(outcome, key, people);
      const amends = memberWrites.filter(({ made }) => made.operation.name === "amend" && isDone(made));
      for (const member of comparableMembers(memberWrites)) {
        for (const { made } of amends.filter(({ members }) => members.includes(member))) {
          for (const { place, value } of seenAfter(made, member)) {
            const sender = senderOf(value);
            if (isOverwritten(sender === undefined ? undefined : bySteps.get(sender), made))
              yield `step ${made.step.number} set ${member} of ${key}, but ${place} is that of step ${sender}`;
          }
        }
      }
    }
  },
};

/** The members whose value says which step sent it: no step hides it from readers, and none empties it. */
function comparableMembers(memberWrites: readonly MemberWrite[]): Amended[] {
  const hidesDocuments = memberWrites.some(({ made }) => setsSensitive(made));
  const emptied = memberWrites.flatMap(({ made }) => emptiedBy(made));
  return AMENDED.filter((member) => !(member === "documents" && hidesDocuments) && !emptied.includes(member));
}

/** The values of a member that were seen after an amend: in the table, in the last read, and in the reads before it. */
function sightsOf(outcome: StoryOutcome, key: string, people: readonly number[]) {
  const events = eventsOf(outcome, key);
  const lifeBegan = events.findLast(({ type }) => type === "candidate.received")?.at ?? 0;
  const wasErased = events.some(({ type }) => type === "candidate.erased");
  const item = finalItem(outcome, key);
  const ending = outcome.lastReads.find(({ person }) => people.includes(person))?.byHandle;
  return function* (amend: Made, member: Amended): Generator<Sight> {
    const isOfThisLife = amend.startedAt > lifeBegan;
    if (isOfThisLife && item && item["status"] !== "erased" && !isReference(item[member]))
      yield { place: "the value", value: item[member] };
    if (!isReadable(outcome, member)) return;
    if (isOfThisLife && ending?.status === 200)
      yield { place: "what is read at the end", value: memberIn(ending.body, member) };
    if (wasErased) return;
    for (const { completed, calls, step } of stepsAbout(outcome, people, "get", "find")) {
      if (completed?.response.status !== 200 || calls.length > 1) continue;
      if (completed.startedAt >= amend.endedAt)
        yield { place: `what step ${step.number} read`, value: memberIn(completed.response.body, member) };
    }
  };
}

/** Whether a value that `by` sent must have given way to that of `later`. */
function isOverwritten(by: Made | undefined, later: Made): boolean {
  if (by === undefined) return true;
  return by !== later && by.isCertain && by.endedAt < later.startedAt;
}

function memberIn(body: unknown, member: Amended): unknown {
  return (body as Record<string, unknown>)[member];
}

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
        const shown = memberIn(completed.response.body, member);
        if (emptiedBy(made).includes(member)) {
          if (!mayShowEmptied(outcome, operation.person, member, shown))
            yield `step ${step.number} emptied ${member}, but its response contains ${JSON.stringify(shown)}`;
        } else if (senderOf(shown) !== step.number && !isOfLater(outcome, made, member, shown)) {
          yield `step ${step.number} set ${member}, but its response contains that of step ${senderOf(shown)}`;
        }
      }
    }
  },
};

/** Whether a value may be in the response to an amend that emptied its member. */
function mayShowEmptied(outcome: StoryOutcome, person: number, member: Amended, shown: unknown): boolean {
  const isOfPlatform = member === "assessments" && madeOf(outcome, "assess").length > 0;
  return isOfPlatform || isDeepStrictEqual(shown, EMPTIED[member]) || isInParts(outcome, person);
}

/** Whether a value may be that of a later amend: of a candidate in parts, the response shows what is there then. */
function isOfLater(
  outcome: StoryOutcome,
  { operation, startedAt }: Made<Named<"amend">>,
  member: Amended,
  shown: unknown,
): boolean {
  const sender = senderOf(shown);
  return (
    isInParts(outcome, operation.person) &&
    madeOf(outcome, "amend").some((other) => {
      const isEmptied = emptiedBy(other).includes(member) && isDeepStrictEqual(shown, EMPTIED[member]);
      return (other.step.number === sender || isEmptied) && mayActAfter(other, startedAt);
    })
  );
}

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
