import { unpackMember } from "#candidates/store/item/member-codec";
import { unpackEvents } from "#webhooks/feed/feed-item";
import type { Call } from "../history.ts";
import type { Operation, Step } from "../operations.ts";
import type { StoryOutcome } from "../outcome.ts";
import { marksIn } from "../requests.ts";
import type { TableWrite } from "../write-history.ts";

// What invariants are judged by: the writes of the table are the order in which things happened, and calls are what
// its users saw of it.

/** A step with the calls that were made of it. */
export interface Made<Kind extends Operation = Operation> {
  readonly step: Step;
  readonly operation: Kind;
  readonly calls: readonly Call[];
  readonly startedAt: number;
  /** When its last call ended: never, when one did not. */
  readonly endedAt: number;
  /** The last call, when its caller got a response below 500. */
  readonly completed: Required<Call> | undefined;
  /** Whether every call got a response below 500: nothing of it can take effect later. */
  readonly isCertain: boolean;
}

/** The operations of a name. */
export type Named<Name extends Operation["name"]> = Extract<Operation, { name: Name }>;

/** A function of what never changes: it is asked by one invariant after the other, and computed once. */
export function computedOnce<Of extends object, Result>(compute: (of: Of) => Result): (of: Of) => Result {
  const known = new WeakMap<Of, { readonly result: Result }>();
  return (of) => {
    let computed = known.get(of);
    if (!computed) {
      computed = { result: compute(of) };
      known.set(of, computed);
    }
    return computed.result;
  };
}

/** The steps of one kind, or of all kinds, in the order of their beginnings. */
export function madeOf<Name extends Operation["name"] = Operation["name"]>(
  outcome: StoryOutcome,
  ...names: readonly Name[]
): Made<Named<Name>>[] {
  const isNamed = (made: Made): made is Made<Named<Name>> =>
    names.length === 0 || (names as readonly string[]).includes(made.operation.name);
  return allMade(outcome.calls).filter(isNamed);
}

const allMade = computedOnce((all: readonly Call[]): readonly Made[] =>
  [...Map.groupBy(all, ({ step }) => step)].map(([step, calls]) => {
    const last = calls.at(-1);
    return {
      step,
      operation: step.operation,
      calls,
      startedAt: calls[0]?.startedAt ?? 0,
      endedAt: Math.max(...calls.map(({ endedAt }) => endedAt ?? Number.POSITIVE_INFINITY)),
      completed: last && hasResponse(last) ? last : undefined,
      isCertain: calls.every(hasResponse),
    };
  }),
);

function hasResponse(call: Call): call is Required<Call> {
  return call.response !== undefined && call.endedAt !== undefined && call.response.status < 500;
}

/** Whether the step was done, and its caller knows. */
export function isDone({ completed }: Pick<Made, "completed">): boolean {
  return completed !== undefined && completed.response.status < 300;
}

/** A late request takes effect up to this long after its caller has given it up, in ms. */
export const LATE_MS = 30_000;

/** Whether a step may still have taken effect after a moment. */
export function mayActAfter(
  { endedAt, isCertain }: Pick<Made, "endedAt" | "isCertain">,
  moment: number,
): boolean {
  return endedAt + (isCertain ? 0 : LATE_MS) >= moment;
}

export type Item = Readonly<Record<string, unknown>>;

/** A write that fired an event. */
export interface Fired {
  readonly at: number;
  readonly id: string;
  readonly type: string;
  readonly sequence: number;
  readonly item: Item;
}

/** The partition key of a person's record. */
export function recordKey(outcome: StoryOutcome, person: number): string {
  return recordKeys(outcome)[person] ?? "";
}

const recordKeys = computedOnce(({ story, handleOf }: StoryOutcome) =>
  story.people.map((each) => `CANDIDATE#${each.orgId}#${handleOf(each).replace("staged_", "")}`),
);

/** People that are one: the same identifier of the same organisation. */
export function recordsOf(outcome: StoryOutcome): Map<string, number[]> {
  const records = new Map<string, number[]>();
  for (const person of outcome.story.people.keys()) {
    const key = recordKey(outcome, person);
    records.set(key, [...(records.get(key) ?? []), person]);
  }
  return records;
}

/** The steps about a record, whichever of the people it is. */
export function stepsAbout<Name extends Operation["name"]>(
  outcome: StoryOutcome,
  people: readonly number[],
  ...names: readonly Name[]
): Made<Named<Name>>[] {
  return madeOf(outcome, ...names).filter(
    ({ operation }) => "person" in operation && people.includes(operation.person),
  );
}

/** The writes of a record, in their order. */
export function writesOf(outcome: StoryOutcome, key: string): TableWrite[] {
  return outcome.writes.filter(({ pk, sk }) => pk === key && sk === "RECORD");
}

/** The events of a record, in their order. */
export function eventsOf(outcome: StoryOutcome, key: string): Fired[] {
  return writesOf(outcome, key).flatMap(({ at, item }) => {
    const event = item?.["event"] as { id: string; type: string } | undefined;
    return item && event
      ? [{ at, id: event.id, type: event.type, sequence: Number(item["sequence"]), item }]
      : [];
  });
}

/** A write of an endpoint that fired an event. */
export interface EndpointFired {
  readonly at: number;
  readonly id: string;
  readonly type: string;
  readonly orgId: string;
  readonly endpointId: string;
  readonly item: Item;
}

/** The events about endpoints, in their order. */
export function endpointEventsOf({ writes }: StoryOutcome): EndpointFired[] {
  return writes.flatMap(({ at, sk, item }) => {
    const event = item?.["event"] as { id: string; type: string } | undefined;
    if (!item || !event || !sk.startsWith("ENDPOINT#")) return [];
    const { id, type } = event;
    return [{ at, id, type, orgId: String(item["orgId"]), endpointId: String(item["id"]), item }];
  });
}

/** A record as the table has it at the end. */
export function finalItem(outcome: StoryOutcome, key: string): Item | undefined {
  return outcome.items.find(({ pk, sk }) => pk === key && sk === "RECORD");
}

/** The steps whose marks stand in what an item holds, outside of parts. */
export const stepsIn = computedOnce(
  (item: Item): ReadonlySet<number> => new Set(marksIn(textOf(item)).map(({ step }) => step)),
);

/** All that an item holds as text. The pieces of a part are not readable one by one. */
export const textOf = computedOnce((item: Item): string => {
  const members = Object.entries(item).map(
    ([name, value]) => `${JSON.stringify(name)}:${textOfValue(value)}`,
  );
  return `{${members.join()}}`;
});

function textOfValue(value: unknown): string {
  if (value instanceof Uint8Array) return textOfBytes(value);
  return JSON.stringify(value ?? null, (_name, nested: unknown) =>
    nested instanceof Uint8Array ? readable(nested) : nested,
  );
}

/** The writes of an item share the bytes of what they left as it was. */
const textOfBytes = computedOnce((bytes: Uint8Array): string => JSON.stringify(readable(bytes)));

function readable(bytes: Uint8Array): unknown {
  try {
    return unpackMember(bytes);
  } catch {
    return inflated(bytes);
  }
}

/** What a feed item holds of events, as text. */
function inflated(bytes: Uint8Array): string {
  try {
    return unpackEvents(bytes);
  } catch {
    return "";
  }
}

/** The number of the step that a value was sent by. */
export function senderOf(value: unknown): number | undefined {
  return marksIn(textOfValue(value))[0]?.step;
}

/** The registrations of a subscriber. Each call of one may have made an endpoint. */
export function registrationsOf(outcome: StoryOutcome, subscriber: number): Made<Named<"register">>[] {
  return madeOf(outcome, "register").filter(({ operation }) => operation.subscriber === subscriber);
}

/** A fault that sticks goes on for a minute, and what it held up comes to its end within another one, in ms. */
const AFTERMATH_MS = 120_000;

/** Whether no fault of AWS happened in the whole story. */
export function meetsOnlyFaultsOfCallers({ faults }: StoryOutcome): boolean {
  return faults.every(({ where }) => where === "caller");
}

/** Whether no fault of AWS happened in a period, or shortly before it. Those of callers do not count. */
export function isCalm(outcome: StoryOutcome, from: number, until: number): boolean {
  const { story, beginning, faults } = outcome;
  const { outage } = story;
  const isOut = outage && beginning + outage.from <= until && beginning + outage.until + AFTERMATH_MS >= from;
  return (
    !isOut && !faults.some(({ at, where }) => where !== "caller" && at <= until && at + AFTERMATH_MS >= from)
  );
}

/** Whether an attempt, or a post, was acknowledged. */
export function isTaken({ statusCode = 0 }: { readonly statusCode?: number | undefined }): boolean {
  return statusCode >= 200 && statusCode < 300;
}

/** The state of an item before and after one of its writes. */
export interface Changed {
  readonly at: number;
  readonly pk: string;
  readonly sk: string;
  readonly before: Item | undefined;
  readonly after: Item | undefined;
}

/** The writes of all items of one kind, each with what was there before it. */
export function changesOf({ writes }: StoryOutcome, isOfKind: (write: TableWrite) => boolean): Changed[] {
  const states = new Map<string, Item | undefined>();
  return writes.filter(isOfKind).map(({ at, pk, sk, item: after }) => {
    const key = `${pk} ${sk}`;
    const before = states.get(key);
    states.set(key, after);
    return { at, pk, sk, before, after };
  });
}
