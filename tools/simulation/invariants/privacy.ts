import { partKeys, referencesIn } from "#candidates/store/item/section-reference";
import type { StoryOutcome } from "../outcome.ts";
import { marksIn } from "../requests.ts";
import {
  eventsOf,
  type Fired,
  finalItem,
  type Item,
  recordsOf,
  stepsIn,
  textOf,
  writesOf,
} from "./evidence.ts";
import type { Invariant } from "./invariant.ts";

export const nothingRemains: Invariant = {
  sentence: "After an erasure, no data that was submitted remains in the table or in a queue.",
  *violations(outcome) {
    for (const [key, [person = 0]] of recordsOf(outcome)) {
      const erasure = eventsOf(outcome, key).findLast(({ type }) => type === "candidate.erased");
      if (!erasure) continue;
      yield* remainsOfSteps(outcome, stepsErasedBy(outcome, key, erasure));
      if (finalItem(outcome, key)?.["status"] === "erased") yield* remainsOfIdentifier(outcome, person);
    }
  },
};

/** The steps whose data an erasure removed. What a step sent that was repeated in the next life is of that life. */
function stepsErasedBy(outcome: StoryOutcome, key: string, erasure: Fired): ReadonlySet<number> {
  const items = writesOf(outcome, key).map(({ item }) => item);
  const erasedAt = items.indexOf(erasure.item);
  const before = items.slice(0, erasedAt).flatMap((item) => (item ? [...stepsIn(item)] : []));
  const since = items.slice(erasedAt).flatMap((item) => (item ? stepsWithParts(outcome, item) : []));
  return new Set(before.filter((step) => !since.includes(step)));
}

/** Items and messages with data of steps that were erased. */
function* remainsOfSteps(outcome: StoryOutcome, erased: ReadonlySet<number>): Generator<string> {
  for (const item of outcome.items) {
    for (const step of stepsIn(item))
      if (erased.has(step))
        yield `${item["pk"]} ${item["sk"]} contains data of step ${step}, which was erased`;
  }
  for (const [queue, bodies] of outcome.messages) {
    for (const { step } of bodies.flatMap((body) => marksIn(body)))
      if (erased.has(step)) yield `${queue} contains data of step ${step}, which was erased`;
  }
}

/** Items with the externalId of a person, unless somebody of another organisation has the same. */
function* remainsOfIdentifier({ story, items }: StoryOutcome, person: number): Generator<string> {
  const { externalId = "", orgId } = story.people[person] ?? {};
  if (story.people.some((other) => other.externalId === externalId && other.orgId !== orgId)) return;
  for (const item of items) {
    if (textOf(item).includes(externalId))
      yield `${item["pk"]} ${item["sk"]} contains the externalId of an erased candidate`;
  }
}

/** The steps whose data a record contains, also in the parts that it references. */
function stepsWithParts({ writes }: StoryOutcome, item: Item): number[] {
  const keys = referencesIn(item).flatMap((reference) => partKeys(...reference));
  const parts = writes.flatMap(({ pk, sk, item: part }) =>
    part && pk === item["pk"] && keys.includes(sk) ? [part] : [],
  );
  return [item, ...parts].flatMap((each) => [...stepsIn(each)]);
}

export const whatWaitsForgets: Invariant = {
  sentence:
    "Dead letters, delivery records, waiting deliveries and the feed contain no externalId and no reasons.",
  *violations(outcome) {
    const externalIds = [...new Set(outcome.story.people.map(({ externalId }) => externalId))];
    const personal = (text: string) =>
      text.includes('reasons\\":') || externalIds.some((externalId) => text.includes(externalId));
    for (const [queue, bodies] of outcome.messages) {
      if (!queue.includes("DeadLetters")) continue;
      for (const body of bodies)
        if (personal(JSON.stringify(body))) yield `${queue} contains ${body.slice(0, 200)}`;
    }
    for (const { pk, sk, item } of outcome.writes) {
      const waits = sk.startsWith("DELIVERY#") || pk.startsWith("WAITING#") || pk.startsWith("FEED#");
      if (item && waits && personal(textOf(item))) yield `${sk} contains ${textOf(item).slice(0, 400)}`;
    }
  },
};

export const strangersAreRefused: Invariant = {
  sentence: "For another organisation a candidate does not exist.",
  *violations(outcome) {
    for (const { step, response } of outcome.calls) {
      if (step.operation.name !== "intrude" || !response || response.status >= 500) continue;
      const { error } = (response.body ?? {}) as { error?: string };
      if (error !== "not_found") yield `step ${step.number} of a stranger got ${response.status} ${error}`;
    }
  },
};

export const organisationsAreApart: Invariant = {
  sentence: "No data of one organisation is stored or returned under another.",
  *violations(outcome) {
    for (const { step, response } of outcome.calls) {
      const { operation } = step;
      const orgId =
        "person" in operation
          ? outcome.story.people[operation.person]?.orgId
          : "subscriber" in operation
            ? outcome.story.subscribers[operation.subscriber]?.orgId
            : undefined;
      if (orgId === undefined || operation.name === "intrude") continue;
      for (const mark of marksIn(JSON.stringify(response?.body ?? null))) {
        if (mark.orgId !== orgId)
          yield `step ${step.number} of ${orgId} got data of ${mark.orgId} from step ${mark.step}`;
      }
    }
    for (const { pk, item } of outcome.writes) {
      const [, owner] = pk.split("#");
      if (!item || !pk.startsWith("CANDIDATE#")) continue;
      for (const mark of marksIn(textOf(item))) {
        if (mark.orgId !== owner) yield `${pk} contained data of ${mark.orgId} from step ${mark.step}`;
      }
    }
  },
};
