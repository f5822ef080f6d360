import { SECOND } from "#runtime/durations";
import type { Operation } from "./operations.ts";
import type { Random } from "./random.ts";

/** An operation of a scene. */
export interface Moment {
  readonly operation: Operation;
  readonly after: number;
  /** As {@link Step.again}. */
  readonly again?: number;
}

/** Operations at once begin within one of these times, in ms: before or after the first request of each other. */
const AT_ONCE_MS = [5, 40];
/** Most operations have ended after this time, in ms. */
const ENDED_MS = [0.3 * SECOND, 3 * SECOND] as const;
/** Most events are delivered after this time, in ms. */
const DELIVERED_MS = [4 * SECOND, 9 * SECOND] as const;

/** An operation that begins when the one before it has probably ended. */
export function next(random: Random, operation: Operation): Moment {
  return { operation, after: random.integer(...ENDED_MS) };
}

/** An operation that begins when the events of those before it have probably been delivered. */
export function delivered(random: Random, operation: Operation): Moment {
  return { operation, after: random.integer(...DELIVERED_MS) };
}

export function atOnce(random: Random, operations: readonly Operation[]): Moment[] {
  const ordered = random.chance(0.5) ? operations : operations.toReversed();
  return ordered.map((operation, index) =>
    index === 0 ? next(random, operation) : { operation, after: random.integer(0, random.pick(AT_ONCE_MS)) },
  );
}

/** A create of a person who may not exist yet. */
export function existing(random: Random, person: number): Moment[] {
  return [next(random, { name: "create", person, isLarge: false })];
}

/** A create of a person, who is often erased before, so that no state of an earlier step remains. */
export function newLife(random: Random, person: number): Moment[] {
  const erasure = { name: "advance", person, transition: "erase" } as const;
  return [...(random.chance(0.6) ? [next(random, erasure)] : []), ...existing(random, person)];
}
