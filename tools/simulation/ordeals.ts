import { HOUR, MINUTE, SECOND } from "#runtime/durations";
import type { NetworkFault } from "./aws/network.ts";
import type { Operation, Step } from "./operations.ts";
import type { Random } from "./random.ts";

// What makes stories harder: faults that concentrate on large writes, items that are removed as soon as they expire,
// and callers that send their requests twice.

/** When the notices of large writes expire and are swept, in ms: more than an hour after the writes before. */
export const SWEEPS_AT = [1.2 * HOUR, 2.4 * HOUR];
/**
 * The share of the stories with large candidates in which faults concentrate on what writes these, the functions that
 * do, the share of their requests that meet one, and what it is: writes last long, or end after any of their requests.
 */
const ORDEALS: {
  readonly stories: number;
  readonly functions: readonly (readonly [functionName: string, operation: Operation["name"]])[];
  readonly requests: readonly number[];
  readonly kinds: readonly (readonly NetworkFault[])[];
} = {
  stories: 0.5,
  functions: [
    ["amend-candidate", "amend"],
    ["amend-candidate", "amend"],
    ["amend-candidate", "amend"],
    ["create-candidate", "create"],
    ["advance-candidate", "assess"],
  ],
  requests: [0.15, 0.3, 0.5],
  kinds: [
    ["slow", "lost before", "refused"],
    ["lost before", "lost after"],
    ["lost before", "late", "throttled"],
    ["lost after", "reset after", "gone before", "gone after"],
  ],
};
/**
 * In such stories DynamoDB removes expired items soon: how often, for how long, in ms, and the share each time. Where
 * many notices expire, each sweep is to meet other writes.
 */
const PROMPT_EXPIRIES = {
  first: { every: 2 * SECOND, within: MINUTE, share: 1 },
  sweeps: { every: 0.4 * SECOND, within: 16 * SECOND, share: 0.08 },
};
/** Where callers send requests twice: the share of stories and steps, within how many ms, and which. */
const SENT_AGAIN = {
  stories: 0.2,
  steps: 0.3,
  within: [30, 500, 5 * SECOND],
  operations: new Set<Operation["name"]>([
    "create",
    "amend",
    "advance",
    "score",
    "assess",
    "requestErasure",
    "update",
    "delete",
  ]),
};

/** Whether a story with large candidates is an ordeal. */
export function isOrdealOf(random: Random): boolean {
  return random.chance(ORDEALS.stories);
}

/** The faults of an ordeal. */
export function ordealOf(random: Random, steps: readonly Step[]) {
  const names = new Set(steps.map(({ operation }) => operation.name));
  const [functionName] = random.pick(ORDEALS.functions.filter(([, operation]) => names.has(operation)));
  return {
    focus: { functionName, service: "dynamodb" as const, share: random.pick(ORDEALS.requests) },
    kinds: random.pick(ORDEALS.kinds),
  };
}

/**
 * When DynamoDB removes expired items in an ordeal.
 *
 * @param last when the first operations are over, in ms
 * @param isSwept whether the notices of its writes expire later
 */
export function promptExpiries(last: number, isSwept: boolean) {
  const repeated = (from: number, until: number, { every, share }: { every: number; share: number }) =>
    Array.from({ length: Math.ceil((until - from) / every) }, (_, index) => ({
      at: from + index * every,
      share,
    }));
  const { first, sweeps } = PROMPT_EXPIRIES;
  return [
    ...repeated(0, last + first.within, first),
    ...(isSwept ? SWEEPS_AT : []).flatMap((at) => repeated(at, at + sweeps.within, sweeps)),
  ];
}

/**
 * Steps of which some are sent twice by their callers, at the same moment or later, as by a queue of theirs that
 * delivers a message twice.
 */
export function sentAgain(random: Random, steps: readonly Step[]): readonly Step[] {
  if (!random.chance(SENT_AGAIN.stories)) return steps;
  return steps.map((step) => {
    const { name } = step.operation;
    if (!SENT_AGAIN.operations.has(name) || !random.chance(SENT_AGAIN.steps)) return step;
    return { ...step, again: random.integer(0, random.pick(SENT_AGAIN.within)) };
  });
}
