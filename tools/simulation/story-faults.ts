import { HOUR, MINUTE, SECOND } from "#runtime/durations";
import { NETWORK_FAULTS } from "./aws/network.ts";
import { some } from "./operation-choice.ts";
import type { Operation, Step } from "./operations.ts";
import { ordealOf } from "./ordeals.ts";
import type { Random } from "./random.ts";
import type { Story } from "./story.ts";
import { INACTIVE_AT, LETTERS_AT, type Length, REDRIVING_MS } from "./story-length.ts";

/**
 * The share of stories without any fault of AWS: nothing excuses a repetition, a delay or an error there, except
 * that callers lose a request or response. Clocks and receivers are as in others.
 */
const ONLY_TO_CALLERS = 0.15;
/** The share of stories with faults that concentrate on one function, and of its requests that meet one. */
const FOCUSED = { stories: 0.25, requests: [0.2, 0.5, 0.8] };
/** The share of the stories of sweeps in which AWS is slow, so that sweeps and large writes overlap, and how often. */
const SLOW = { stories: 0.5, requests: [0.2, 0.5] };
/**
 * The functions on which faults may concentrate, since a repetition of what they do must have no consequences. Each
 * has the operation that invokes it, or the length of the stories in which it works, unless it works in all.
 */
const FOCUSES: readonly {
  readonly functionName: string;
  readonly operation?: Operation["name"];
  readonly of?: Length;
  /** Whether it uses queues besides the table, so that the faults may be those of one of the two. */
  readonly hasQueues?: true;
}[] = [
  { functionName: "publish-events", hasQueues: true },
  { functionName: "publish-events", hasQueues: true },
  { functionName: "deliver-webhook", hasQueues: true },
  { functionName: "deliver-aside", hasQueues: true },
  { functionName: "retry-webhook", hasQueues: true },
  { functionName: "recover-events", operation: "recover", hasQueues: true },
  { functionName: "start-recovery", operation: "recover", hasQueues: true },
  { functionName: "recover-deliveries", operation: "recover", hasQueues: true },
  { functionName: "redrive-dead-letters", operation: "redrive", hasQueues: true },
  { functionName: "update-webhook-endpoint", operation: "update" },
  { functionName: "create-webhook-endpoint", operation: "register" },
  { functionName: "delete-webhook-endpoint", operation: "delete" },
  { functionName: "rotate-signing-secret", operation: "rotateSecret" },
  { functionName: "reseal-signing-secrets", operation: "reseal" },
  { functionName: "sweep-candidate-parts", of: "sweeps" },
  { functionName: "advance-candidate", operation: "advance" },
  { functionName: "amend-candidate", operation: "amend" },
  { functionName: "create-candidate", operation: "create" },
];
/**
 * When faults return while deliveries are released, in ms.
 */
const RELEASES = { from: 20 * MINUTE, until: 3 * HOUR };

/**
 * When AWS is out, and when faults stop.
 *
 * @param settled when the endpoints have responded, in ms
 * @param spread the time of the first operations, in ms
 */
export function troubleOf(
  random: Random,
  length: Length,
  { settled, spread }: { readonly settled: number; readonly spread: number },
): Pick<Story, "outage" | "faultsUntil"> {
  const isLong = length !== "minutes" && length !== "letters";
  const from = length === "week" ? INACTIVE_AT : settled;
  const outage = random.chance(length === "week" ? 0.8 : isLong ? 0.5 : 0.03) && {
    service: random.pick([
      "dynamodb",
      "sqs",
      "secretsmanager",
      ...(length === "week" ? ["sqs" as const] : []),
    ] as const),
    from: from + random.integer(0, spread),
    // A record of the stream is retried for twelve hours, and is then a dead letter.
    until:
      from +
      spread +
      random.pick([10 * SECOND, 10 * MINUTE, 4 * HOUR, ...(length === "hours" ? [13 * HOUR] : [])]),
  };
  const faultsUntil =
    from + spread + random.pick([3 * SECOND, 10 * SECOND, 3 * MINUTE]) + (isLong ? 3 * HOUR : 0);
  return outage ? { outage, faultsUntil: Math.max(faultsUntil, outage.until) } : { faultsUntil };
}

/**
 * The faults of a story.
 *
 * @param ordeal the choices of an ordeal, if it is one
 */
export function faultsOf(
  random: Random,
  length: Length,
  { steps, ordeal }: { readonly steps: readonly Step[]; readonly ordeal: Random | undefined },
): Story["faults"] {
  const quiet = random.fork("quiet");
  const isOnlyToCallers = quiet.chance(ONLY_TO_CALLERS);
  const again = isOnlyToCallers ? {} : againOf(quiet, length);
  const slowness = quiet.fork("slowness");
  const isSlow = length === "sweeps" && slowness.chance(SLOW.stories);
  const unknownEvents = quiet.chance(0.08) ? quiet.pick([0.2, 0.5]) : 0;
  return {
    share: random.pick([0.01, 0.03, 0.08, 0.15]),
    sticky: random.pick([0, 0.1, 0.5]),
    certain: [random.integer(1, 4), random.integer(5, 8)],
    lostWrites: random.pick([0.02, 0.1, 0.1, 0.3]),
    kinds: some(random, NETWORK_FAULTS, 0.5),
    ends: random.pick([0, 0, 0.02, 0.1]),
    repeats: random.pick([0, 0, 0.05, 0.3]),
    lostResponses: random.pick([0, 0.05, 0.15]),
    throttles: random.pick([0, 0, 0.05, 0.3]),
    unknownEvents,
    ...(isSlow && { share: slowness.pick(SLOW.requests), kinds: ["slow"] as const }),
    ...(isOnlyToCallers && { onlyToCallers: [quiet.integer(1, 6), quiet.integer(7, 12)] }),
    ...again,
    ...(!isOnlyToCallers && focusOf(quiet, length, { steps, unknownEvents, ...again })),
    ...(ordeal && !isOnlyToCallers && ordealOf(ordeal, steps)),
  };
}

/** Whether faults return while deliveries are released. */
export function isReleasing({ again }: Pick<Story["faults"], "again">): boolean {
  return again === RELEASES;
}

/** Faults return when dead letters are redriven, and in some stories when waiting deliveries are released. */
function againOf(random: Random, length: Length): Pick<Story["faults"], "again"> {
  if (length === "letters") return { again: { from: LETTERS_AT, until: LETTERS_AT + REDRIVING_MS } };
  const returns = length === "minutes" && random.chance(0.15);
  return returns ? { again: RELEASES } : {};
}

/**
 * In stories of dead letters, faults concentrate on what puts these back; where they return, on what releases
 * deliveries; and in most stories of events that cannot be read, on what publishes those before them.
 */
function focusOf(
  random: Random,
  length: Length,
  {
    steps,
    ...faults
  }: { readonly steps: readonly Step[] } & Pick<Story["faults"], "unknownEvents" | "again">,
): Pick<Story["faults"], "focus"> {
  const share = random.pick(FOCUSED.requests);
  if (length === "letters")
    return { focus: { functionName: "redrive-dead-letters", share: random.pick([0.15, 0.4]) } };
  if (isReleasing(faults)) return { focus: { functionName: "release-deliveries", share: 0.5 } };
  if (faults.unknownEvents > 0 && random.chance(0.7))
    return { focus: { functionName: "publish-events", service: "dynamodb", share } };
  if (!random.chance(FOCUSED.stories)) return {};
  const names = new Set(steps.map(({ operation }) => operation.name));
  const { functionName, hasQueues } = random.pick(
    FOCUSES.filter(({ operation, of }) => (!operation || names.has(operation)) && (!of || of === length)),
  );
  const service = hasQueues && random.pick(["dynamodb", "sqs", undefined] as const);
  return { focus: { functionName, share, ...(service && { service }) } };
}
