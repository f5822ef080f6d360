import { isDeepStrictEqual } from "node:util";
import type { Call, Response } from "../history.ts";
import type { StoryOutcome } from "../outcome.ts";
import { marksIn } from "../requests.ts";
import { emptiedBy, isReference } from "./amends.ts";
import {
  eventsOf,
  finalItem,
  isDone,
  type Made,
  madeOf,
  mayActAfter,
  recordKey,
  recordsOf,
  stepsAbout,
  stepsIn,
  textOf,
} from "./evidence.ts";
import type { Invariant } from "./invariant.ts";

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
      const creates = stepsAbout(outcome, people, "create").filter(isDone);
      const closings: Closings = {
        erasures: stepsAbout(outcome, people, "advance", "requestErasure").filter(isErasure),
        freezes: stepsAbout(outcome, people, "advance", "amend").filter(mayFreeze),
      };
      const reads = stepsAbout(outcome, people, "get", "find").filter(
        ({ operation }) =>
          operation.name === "find" || (operation.name === "get" && operation.by === "stagedId"),
      );
      for (const create of creates) {
        const { stagedId = "" } = (create.completed?.response.body ?? {}) as { stagedId?: string };
        if (!key.endsWith(stagedId.replace("staged_", "")))
          yield `step ${create.step.number} was given the handle ${stagedId}`;
        for (const read of reads) yield* problemsOfRead(create, read, closings);
      }
      const last = creates.toSorted((left, right) => left.endedAt - right.endedAt).at(-1);
      const ending = outcome.lastReads.find(({ person }) => people.includes(person))?.byHandle;
      if (last) yield* problemsOfEnding(last, ending, closings);
    }
  },
};

/** The steps after which a candidate may not be read. */
interface Closings {
  readonly erasures: readonly Made[];
  readonly freezes: readonly Made[];
}

/** A read after an acknowledged create returns the candidate, unless it was erased or its consent was revoked. */
function* problemsOfRead(create: Made, read: Made, { erasures, freezes }: Closings): Generator<string> {
  const { response, startedAt } = read.completed ?? {};
  if (!response || !startedAt || startedAt < create.endedAt || read.calls.length > 1) return;
  const mayBeGone = erasures.some(
    (erasure) => mayActAfter(erasure, create.startedAt) && erasure.startedAt <= read.endedAt,
  );
  const mayBeFrozen = freezes.some((freeze) => freeze.startedAt <= read.endedAt);
  const error = errorIn(response);
  if (response.status === 200 || mayBeGone || (mayBeFrozen && error === "consent_revoked")) return;
  yield `step ${read.step.number} got ${response.status} ${error}, although step ${create.step.number} had created the candidate`;
}

/** At the end, the candidate of the last create can be read, unless it was erased or its consent was revoked. */
function* problemsOfEnding(
  create: Made,
  ending: Response | undefined,
  { erasures, freezes }: Closings,
): Generator<string> {
  if (erasures.some((erasure) => mayActAfter(erasure, create.startedAt))) return;
  const error = errorIn(ending);
  if (ending?.status !== 200 && !(freezes.length > 0 && error === "consent_revoked"))
    yield `step ${create.step.number} created a candidate that ends as ${ending?.status} ${error}`;
}

function errorIn(response: Response | undefined): string | undefined {
  return ((response?.body ?? {}) as { error?: string }).error;
}

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
    const refused = refusedIn(outcome);
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

/** The steps of partners that certainly had no effect, by their numbers: each call was refused, or is a replay. */
function refusedIn(outcome: StoryOutcome): ReadonlyMap<number, string> {
  const closings = outcome.writes.filter(
    ({ item }) => item?.["status"] === "erased" || item?.["status"] === "consent_revoked",
  );
  const late = outcome.faults.filter(({ kind }) => kind === "late");
  const refused = madeOf(outcome).filter(({ calls, operation, startedAt, endedAt }) => {
    const isMeanwhile = ({ at }: { readonly at: number }) => at >= startedAt && at <= endedAt;
    // What was done to a record that was frozen or erased before the response came is not denied by a 404, nor by
    // the response to a create that shows the next life.
    if (closings.some(isMeanwhile)) return false;
    // Nobody can refuse a request that arrives after its repetition was refused.
    if (late.some(isMeanwhile)) return false;
    return operation.name !== "assess" && operation.name !== "advance" && calls.every(hadNoEffect);
  });
  return new Map(refused.map(({ step, operation }) => [step.number, operation.name]));
}

function hadNoEffect({ response }: Call): boolean {
  if (response === undefined) return false;
  const isRefused = response.status >= 400 && response.status < 500;
  return isRefused || response.headers["Idempotent-Replayed"] === "true";
}

export const damageIsNotShown: Invariant = {
  sentence: "Parts whose content is damaged are never returned.",
  *violations({ damagedReads }) {
    for (const { person, response } of damagedReads) {
      if (response.status < 300) yield `person ${person} was read although the parts were damaged`;
    }
  },
};

export const platformStays: Invariant = {
  sentence: "The platform's scores and assessments, and sensitive documents, are not lost in other writes.",
  *violations(outcome) {
    for (const [key, people] of recordsOf(outcome)) {
      const item = finalItem(outcome, key);
      if (!item || item["status"] === "erased") continue;
      for (const { step, operation } of lastSettings(outcome, key, people)) {
        if (operation.name === "score" && (item["workReadinessScore"] ?? null) !== operation.score)
          yield `step ${step.number} set a score that ${key} does not have`;
        if (operation.name === "assess" && !mayContain(item["platformAssessments"], operation.title))
          yield `step ${step.number} added an assessment that ${key} does not have`;
      }
      const mayBeEmptied = stepsAbout(outcome, people, "amend").some((made) =>
        emptiedBy(made).includes("documents"),
      );
      if (!("documents_identity_document" in item) && !mayBeEmptied)
        yield `${key} has lost its identity document`;
    }
  },
};

/** The platform's acknowledged scores and assessments in the present life that no other may have replaced. */
function lastSettings(outcome: StoryOutcome, key: string, people: readonly number[]) {
  const lifeBegan = eventsOf(outcome, key).findLast(({ type }) => type === "candidate.received")?.at ?? 0;
  const settings = stepsAbout(outcome, people, "score", "assess");
  return settings.filter(
    (made) =>
      isDone(made) &&
      made.startedAt > lifeBegan &&
      !settings.some(
        (other) => other !== made && isSameSetting(other, made) && mayActAfter(other, made.startedAt),
      ),
  );
}

/** Whether a list of assessments has one with a title: it may, if it is kept in parts. */
function mayContain(list: unknown, title: string): boolean {
  return isReference(list) || textOf({ list }).includes(title);
}

function isSameSetting({ operation: left }: Made, { operation: right }: Made): boolean {
  if (left.name === "assess" && right.name === "assess") {
    return left.result === right.result && left.provider === right.provider;
  }
  return left.name === right.name;
}
