import type { EventPage, FeedEvent } from "./contract-types.ts";

/**
 * What a receiver has seen: the ids of events; or for each candidate, by `stagedId`, the `sequence` numbers of its
 * events; or a function that looks an event up.
 */
export type SeenEvents =
  | Iterable<string>
  | ReadonlyMap<string, Iterable<number>>
  | ((event: FeedEvent) => boolean | Promise<boolean>);

/** Numbers of a candidate's events that neither the receiver nor the feed has. */
export interface SequenceGap {
  readonly stagedId: string;
  /** The first number that is missing, and the last. */
  readonly from: number;
  readonly to: number;
}

/** The difference between the feed and what a receiver has seen. */
export interface Reconciliation {
  /** The events that the feed has and the receiver has not seen, in the order of publication. */
  readonly missing: readonly FeedEvent[];
  /**
   * The numbers that both lack, between the lowest and the highest known number of a candidate. If there is no gap and
   * nothing is missing, the receiver has every event: a candidate's events are numbered without gaps. Empty if only
   * some types were read, because the others have numbers too. With ids, and events from the middle of the feed, a gap
   * may also be an earlier event, if one of a lower number was published late.
   */
  readonly gaps: readonly SequenceGap[];
  /** How many events of the feed were compared. */
  readonly checked: number;
  /** The `cursor` of the next reconciliation, which continues after the compared events. */
  readonly nextCursor: string;
}

/** Compares the feed's events with those that a receiver has seen. */
export async function reconcile(
  pages: AsyncIterable<EventPage>,
  seen: SeenEvents,
  { everyType }: { readonly everyType: boolean },
): Promise<Reconciliation> {
  assertSeen(seen);
  const numbers = numbersIn(seen);
  const hasSeen = lookup(seen, numbers);
  const known = new Map([...numbers].map(([stagedId, each]) => [stagedId, new Set(each)]));
  // By id: the feed may contain an event twice.
  const missing = new Map<string, FeedEvent>();
  let checked = 0;
  let nextCursor = "";
  for await (const page of pages) {
    for (const event of page.data) {
      checked += 1;
      if (!(await hasSeen(event))) missing.set(event.id, event);
      if ("sequence" in event) numbersOf(known, event.data.stagedId).add(event.sequence);
    }
    nextCursor = page.nextCursor;
  }
  const gaps = everyType ? [...known].flatMap(([stagedId, numbers]) => gapsIn(stagedId, numbers)) : [];
  return { missing: [...missing.values()], gaps, checked, nextCursor };
}

/** @throws TypeError if it is something else. The characters of a text, or nothing, would be ids that no event has. */
function assertSeen(seen: unknown): void {
  if (typeof seen === "function") return;
  const lists = seen instanceof Map ? [...seen.values()] : [seen];
  if (!lists.every(isList)) throw misunderstood();
}

function misunderstood(): TypeError {
  return new TypeError(
    "seen: a list of ids, a Map of lists of numbers by stagedId, or a function is expected",
  );
}

/**
 * What a list contains. It may be readable only once, so it is checked as it is read.
 *
 * @throws TypeError if it contains something else, of which no event would be seen
 */
function setOf<Value>(list: Iterable<Value>, type: "string" | "number"): Set<Value> {
  const values = new Set(list);
  for (const value of values) if (typeof value !== type) throw misunderstood();
  return values;
}

function isList(value: unknown): boolean {
  return typeof value === "object" && value !== null && Symbol.iterator in value;
}

type NumbersByCandidate = ReadonlyMap<string, ReadonlySet<number>>;

function lookup(
  seen: SeenEvents,
  numbers: NumbersByCandidate,
): (event: FeedEvent) => boolean | Promise<boolean> {
  if (typeof seen === "function") return seen;
  if (!isBySequence(seen)) {
    const ids = setOf(seen, "string");
    return ({ id }) => ids.has(id);
  }
  // An event about an endpoint has no number: numbers cannot say whether it was seen.
  return (event) =>
    !("sequence" in event) || (numbers.get(event.data.stagedId)?.has(event.sequence) ?? false);
}

/** The numbers that the receiver has, if it has them by candidate. */
function numbersIn(seen: SeenEvents): NumbersByCandidate {
  if (typeof seen === "function" || !isBySequence(seen)) return new Map();
  return new Map([...seen].map(([stagedId, numbers]) => [stagedId, setOf(numbers, "number")]));
}

function isBySequence(
  seen: Iterable<string> | ReadonlyMap<string, Iterable<number>>,
): seen is ReadonlyMap<string, Iterable<number>> {
  return seen instanceof Map;
}

function numbersOf(known: Map<string, Set<number>>, stagedId: string): Set<number> {
  const numbers = known.get(stagedId) ?? new Set();
  known.set(stagedId, numbers);
  return numbers;
}

function gapsIn(stagedId: string, numbers: ReadonlySet<number>): SequenceGap[] {
  const inOrder = [...numbers].sort((left, right) => left - right);
  return inOrder.flatMap((number, index) => {
    const before = inOrder[index - 1];
    return before === undefined || before === number - 1
      ? []
      : [{ stagedId, from: before + 1, to: number - 1 }];
  });
}
