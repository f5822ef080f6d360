import { isDeepStrictEqual } from "node:util";
import { unpackMember } from "#candidates/store/item/member-codec";
import type { StoryOutcome } from "../outcome.ts";
import {
  eventsOf,
  finalItem,
  isDone,
  type Made,
  madeOf,
  mayActAfter,
  recordKey,
  recordsOf,
} from "./evidence.ts";
import type { Invariant } from "./invariant.ts";
import { isHidden } from "./record-writes.ts";

interface Reading {
  readonly by: string;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly assessments: readonly Assessment[];
}

interface Assessment {
  readonly provider: string;
  readonly externalId?: string | null;
  readonly name: string;
}

/** The records of people that callers got, during the story and at its end. */
function readingsOf(outcome: StoryOutcome, people: readonly number[]): Reading[] {
  const during = outcome.calls.flatMap(({ step, response, startedAt, endedAt = startedAt }) => {
    const { name } = step.operation;
    if (!("person" in step.operation) || !people.includes(step.operation.person)) return [];
    if (response?.status !== 200 || !["get", "find", "amend", "amendNothing"].includes(name)) return [];
    return [{ by: `step ${step.number}`, startedAt, endedAt, body: response.body }];
  });
  const atTheEnd = outcome.lastReads.flatMap(({ person, byHandle: { status, body } }) =>
    status === 200 && people.includes(person)
      ? [{ by: "the last read", startedAt: outcome.endedAt, endedAt: outcome.endedAt, body }]
      : [],
  );
  return [...during, ...atTheEnd].map(({ body, ...reading }) => ({
    ...reading,
    assessments: (body as { assessments: readonly Assessment[] }).assessments,
  }));
}

type Assess = Made & { readonly operation: { readonly name: "assess" } };

function isOfSameResult({ operation: left }: Assess, { operation: right }: Assess): boolean {
  return left.result === right.result && left.provider === right.provider;
}

export const platformAssessmentsAreShown: Invariant = {
  sentence: "A record that is read contains every assessment that the platform had added to it.",
  *violations(outcome) {
    for (const [key, people] of recordsOf(outcome)) {
      const assesses = madeOf(outcome, "assess").filter(({ operation }) => people.includes(operation.person));
      if (assesses.length === 0) continue;
      const erasures = eventsOf(outcome, key).filter(({ type }) => type === "candidate.erased");
      const readings = readingsOf(outcome, people);
      for (const made of assesses.filter(isDone)) {
        const { result, provider, title } = made.operation;
        const isReplaced = assesses.some(
          (other) => other !== made && isOfSameResult(other, made) && mayActAfter(other, made.startedAt),
        );
        for (const { by, startedAt, endedAt, assessments } of readings) {
          if (startedAt < made.endedAt) continue;
          if (erasures.some(({ at }) => at >= made.startedAt && at <= endedAt)) continue;
          const shown = assessments.find((each) => each.provider === provider && each.externalId === result);
          if (!shown || (!isReplaced && shown.name !== title))
            yield `${by} read ${shown?.name ?? "no assessment"} where step ${made.step.number} had added ${provider} ${result} ${title}`;
        }
      }
    }
  },
};

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

function identityOf({ provider, externalId }: Assessment): string {
  return `${provider} ${externalId}`;
}

function labelOf(assessment: Assessment): string {
  return `${identityOf(assessment)} ${assessment.name}`;
}
