import { isDeepStrictEqual } from "node:util";
import { AMENDED, type Amended, EMPTIED, HIDDEN, type Operation } from "../operations.ts";
import type { StoryOutcome } from "../outcome.ts";
import { marksIn } from "../requests.ts";
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
  stepsIn,
  textOf,
  writesOf,
} from "./evidence.ts";
import type { Invariant } from "./invariant.ts";

/** The steps about a record, whichever of the people it is. */
function about<Name extends Operation["name"]>(
  outcome: StoryOutcome,
  people: readonly number[],
  ...names: readonly Name[]
) {
  return madeOf(outcome, ...names).filter(
    ({ operation }) => "person" in operation && people.includes(operation.person),
  );
}

function isErasure({ operation }: Made): boolean {
  return (
    operation.name === "requestErasure" || (operation.name === "advance" && operation.transition === "erase")
  );
}

function mayFreeze({ operation }: Made): boolean {
  return (
    (operation.name === "advance" && operation.transition === "revoke-consent") ||
    (operation.name === "amend" && operation.consentGiven === false)
  );
}

export const createdIsReadable: Invariant = {
  sentence: "After an acknowledged create, the candidate can be read by handle and by externalId.",
  *violations(outcome) {
    for (const [key, people] of recordsOf(outcome)) {
      const creates = about(outcome, people, "create").filter(isDone);
      const erasures = about(outcome, people, "advance", "requestErasure").filter(isErasure);
      const freezes = about(outcome, people, "advance", "amend").filter(mayFreeze);
      const reads = about(outcome, people, "get", "find").filter(
        ({ operation }) =>
          operation.name === "find" || (operation.name === "get" && operation.by === "stagedId"),
      );
      for (const create of creates) {
        const { stagedId = "" } = (create.completed?.response.body ?? {}) as { stagedId?: string };
        if (!key.endsWith(stagedId.replace("staged_", "")))
          yield `step ${create.step.number} was given the handle ${stagedId}`;
        for (const read of reads) {
          const { response, startedAt } = read.completed ?? {};
          if (!response || !startedAt || startedAt < create.endedAt || read.calls.length > 1) continue;
          const mayBeGone = erasures.some(
            (erasure) => mayActAfter(erasure, create.startedAt) && erasure.startedAt <= read.endedAt,
          );
          const mayBeFrozen = freezes.some((freeze) => freeze.startedAt <= read.endedAt);
          const { error } = (response.body ?? {}) as { error?: string };
          if (response.status === 200 || mayBeGone || (mayBeFrozen && error === "consent_revoked")) continue;
          yield `step ${read.step.number} got ${response.status} ${error}, although step ${create.step.number} had created the candidate`;
        }
      }
      const last = creates.toSorted((left, right) => left.endedAt - right.endedAt).at(-1);
      if (!last || erasures.some((erasure) => mayActAfter(erasure, last.startedAt))) continue;
      const { byHandle } = outcome.lastReads.find(({ person }) => people.includes(person)) ?? {};
      const { error } = (byHandle?.body ?? {}) as { error?: string };
      if (byHandle?.status !== 200 && !(freezes.length > 0 && error === "consent_revoked")) {
        yield `step ${last.step.number} created a candidate that ends as ${byHandle?.status} ${error}`;
      }
    }
  },
};

export const readsAgree: Invariant = {
  sentence: "Reads by handle and by externalId return the same record, and it matches the table.",
  *violations(outcome) {
    for (const { person, byHandle, byExternalId } of outcome.lastReads) {
      if (byHandle.status !== byExternalId.status || !isDeepStrictEqual(byHandle.body, byExternalId.body)) {
        yield `person ${person} reads ${byHandle.status} by handle, ${byExternalId.status} by externalId`;
      }
      const item = finalItem(outcome, recordKey(outcome, person));
      const status = item?.["status"] ?? "erased";
      const { error, status: read } = (byHandle.body ?? {}) as { error?: string; status?: string };
      const expected =
        status === "erased" ? "not_found" : status === "consent_revoked" ? "consent_revoked" : status;
      if ((error ?? read) !== expected)
        yield `person ${person} reads ${error ?? read} where ${expected} is expected`;
      if (byHandle.status === 200 && item) {
        const record = byHandle.body as Record<string, unknown>;
        const isShown = ["headline", "summary", "firstName"].every(
          (name) => record[name] === (item[name] ?? null),
        );
        if (!isShown) yield `person ${person} reads text that differs from the table`;
      }
      if (
        byHandle.status === 200 &&
        byHandle.headers["ETag"]?.includes(String(item?.["updatedAt"])) === false
      ) {
        yield `person ${person} has an ETag of another version`;
      }
    }
  },
};

export const refusedIsNotSeen: Invariant = {
  sentence: "No data of a refused call, or of a create that is a replay, is stored or returned.",
  *violations(outcome) {
    const refused = new Map<number, string>();
    const closings = outcome.writes.filter(
      ({ item }) => item?.["status"] === "erased" || item?.["status"] === "consent_revoked",
    );
    for (const { step, calls, operation, startedAt, endedAt } of madeOf(outcome)) {
      // What was done to a record that was frozen or erased before the response came is not denied by a 404, nor by
      // the response to a create that shows the next life.
      if (closings.some(({ at }) => at >= startedAt && at <= endedAt)) continue;
      // Nobody can refuse a request that arrives after its repetition was refused.
      if (outcome.faults.some(({ kind, at }) => kind === "late" && at >= startedAt && at <= endedAt))
        continue;
      if (operation.name === "assess" || operation.name === "advance") continue;
      const hasNoEffect = calls.every(
        ({ response }) =>
          response !== undefined &&
          ((response.status >= 400 && response.status < 500) ||
            response.headers["Idempotent-Replayed"] === "true"),
      );
      if (hasNoEffect) refused.set(step.number, operation.name);
    }
    if (refused.size === 0) return;
    for (const { item, pk, sk } of outcome.writes) {
      // Parts are stored before the write that refers to them, which may be refused.
      if (!item || sk.startsWith("PART#")) continue;
      for (const step of stepsIn(item)) {
        if (refused.has(step))
          yield `${pk} contained data of step ${step}, whose ${refused.get(step)} was refused`;
      }
    }
    for (const { response, step } of outcome.calls) {
      if (response?.status !== 200) continue;
      for (const mark of marksIn(JSON.stringify(response.body ?? null))) {
        if (refused.has(mark.step))
          yield `step ${step.number} read data of step ${mark.step}, which was refused`;
      }
    }
  },
};

/** The members that a create sets. */
const CREATED: readonly Amended[] = ["headline", "firstName", "phone", "documents"];

interface MemberWrite {
  readonly made: Made;
  readonly members: readonly Amended[];
}

function memberWritesOf(outcome: StoryOutcome, people: readonly number[]): MemberWrite[] {
  return [
    ...about(outcome, people, "create").map((made) => ({ made, members: CREATED })),
    ...about(outcome, people, "amend").map((made) => ({
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
          for (const { completed, calls, step } of about(outcome, people, "get", "find")) {
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
function emptiedBy({ operation }: Made): readonly Amended[] {
  if (operation.name !== "amend" || !operation.isEmptying) return [];
  return operation.members.filter((member) => member in EMPTIED);
}

function isReference(value: unknown): boolean {
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

export const damageIsNotShown: Invariant = {
  sentence: "Parts whose content is damaged are never returned.",
  *violations({ damagedReads }) {
    for (const { person, response } of damagedReads) {
      if (response.status < 300) yield `person ${person} was read although the parts were damaged`;
    }
  },
};

function isInParts(outcome: StoryOutcome, person: number): boolean {
  const key = recordKey(outcome, person);
  return outcome.writes.some(({ pk, sk }) => pk === key && sk.startsWith("PART#"));
}

export const platformStays: Invariant = {
  sentence: "The platform's scores and assessments, and sensitive documents, are not lost in other writes.",
  *violations(outcome) {
    for (const [key, people] of recordsOf(outcome)) {
      const item = finalItem(outcome, key);
      if (!item || item["status"] === "erased") continue;
      const events = eventsOf(outcome, key);
      const lifeBegan = events.findLast(({ type }) => type === "candidate.received")?.at ?? 0;
      const platformWrites = about(outcome, people, "score", "assess");
      for (const made of platformWrites) {
        if (!isDone(made) || made.startedAt <= lifeBegan) continue;
        const { operation } = made;
        const rivals = platformWrites.filter(
          (other) => other !== made && isSameSetting(other, made) && mayActAfter(other, made.startedAt),
        );
        if (rivals.length > 0) continue;
        if (operation.name === "score" && (item["workReadinessScore"] ?? null) !== operation.score) {
          yield `step ${made.step.number} set a score that ${key} does not have`;
        }
        if (operation.name === "assess" && !isReference(item["platformAssessments"])) {
          if (!textOf({ list: item["platformAssessments"] }).includes(operation.title)) {
            yield `step ${made.step.number} added an assessment that ${key} does not have`;
          }
        }
      }
      const mayBeEmptied = about(outcome, people, "amend").some((made) =>
        emptiedBy(made).includes("documents"),
      );
      if (!("documents_identity_document" in item) && !mayBeEmptied)
        yield `${key} has lost its identity document`;
    }
  },
};

function isSameSetting({ operation: left }: Made, { operation: right }: Made): boolean {
  if (left.name === "assess" && right.name === "assess") {
    return left.result === right.result && left.provider === right.provider;
  }
  return left.name === right.name;
}

export const nothingIsWrittenTwice: Invariant = {
  sentence: "A call whose effect is already in place writes nothing.",
  *violations(outcome) {
    for (const [key, people] of recordsOf(outcome)) {
      const amends = about(outcome, people, "amend");
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
