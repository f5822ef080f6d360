import type { EndpointHealth } from "#webhooks/endpoints/endpoint-health";

/**
 * The queue that deliveries to an endpoint wait in. A slow receiver occupies a consumer for the whole timeout, so slow
 * endpoints have a queue of their own, and no other endpoint waits for them. An endpoint that may be slow, because it
 * is new, failing, suspected or on probation, has a third one, the side queue: there it does not wait for them, and
 * does not delay the others. A delivery only moves to later lanes.
 */
export const LANES = ["delivery", "side", "retry"] as const;
export type Lane = (typeof LANES)[number];
/** The lanes that deliveries move to, and in whose queues they wait for their next attempt. */
export type LaterLane = Exclude<Lane, "delivery">;

/**
 * The timeout of an attempt in each lane, in ms. An attempt that is cut short in one of the first two is made again
 * from the retry queue, where the receiver has the full timeout.
 */
export const TIMEOUTS_MS: Readonly<Record<Lane, number>> = { delivery: 2_000, side: 2_000, retry: 10_000 };

/** Where deliveries to an endpoint wait. */
export function laneOf(health: EndpointHealth): Lane {
  const { unprovenSince, failingSince, slowSince, suspectedSince, probationSince } = health;
  if (slowSince !== undefined) return "retry";
  const mayBeSlow = [unprovenSince, failingSince, suspectedSince, probationSince];
  return mayBeSlow.some((since) => since !== undefined) ? "side" : "delivery";
}

/** The endpoint's lane if it is later than the one that a delivery has reached, which then moves there. */
export function laterLane(reached: Lane, health: EndpointHealth): LaterLane | undefined {
  const own = laneOf(health);
  return own !== "delivery" && LANES.indexOf(own) > LANES.indexOf(reached) ? own : undefined;
}

/**
 * The longest wait for which a retry uses the side queue, in ms. In the retry queue it may be attempted some ten
 * seconds late, behind receivers that hang: too late for a wait of 5 s, and within the jitter of a wait of a minute.
 */
const LONGEST_ASIDE_MS = 30_000;

/** Where a delivery waits for its next attempt, after one from the lane that it has reached. */
export function retryLane(reached: Lane, health: EndpointHealth, wait: number): LaterLane {
  const isSlow = reached === "retry" || laneOf(health) === "retry";
  return isSlow || wait > LONGEST_ASIDE_MS ? "retry" : "side";
}
