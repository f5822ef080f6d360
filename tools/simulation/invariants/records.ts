import { isDeepStrictEqual } from "node:util";
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
      const erasures = stepsAbout(outcome, people, "advance", "requestErasure").filter(isErasure);
      const freezes = stepsAbout(outcome, people, "advance", "amend").filter(mayFreeze);
      const reads = stepsAbout(outcome, people, "get", "find").filter(
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
      const events = eventsOf(outcome, key);
      const lifeBegan = events.findLast(({ type }) => type === "candidate.received")?.at ?? 0;
      const platformWrites = stepsAbout(outcome, people, "score", "assess");
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
      const mayBeEmptied = stepsAbout(outcome, people, "amend").some((made) =>
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
