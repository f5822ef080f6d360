import type { EndpointHealth } from "#webhooks/endpoints/endpoint-health";
import type { Pace } from "#webhooks/endpoints/pace";

/**
 * The queue that deliveries to an endpoint wait in. A slow receiver occupies a consumer for the whole timeout, so slow
 * and failing endpoints have a queue of their own, and no other endpoint waits for them. An endpoint that may be slow,
 * because it is new, suspected or on probation, has a third one, the side queue: there it does not wait for them, and
 * does not delay the others. A delivery only moves to later lanes.
 */
export const LANES = ["delivery", "side", "retry"] as const;
export type Lane = (typeof LANES)[number];

/**
 * The timeout of an attempt in each lane, in ms. An attempt that is cut short in one of the first two is made again
 * from the retry queue, where the receiver has the full timeout.
 */
export const TIMEOUTS: Readonly<Record<Lane, number>> = { delivery: 2_000, side: 2_000, retry: 10_000 };

/** Where deliveries to an endpoint wait. */
export function laneOf(health: EndpointHealth): Lane {
  const { unprovenSince, failingSince, slowSince, suspectedSince, probationSince } = health;
  if (slowSince !== undefined || failingSince !== undefined) return "retry";
  const mayBeSlow = [unprovenSince, suspectedSince, probationSince].some((since) => since !== undefined);
  return mayBeSlow ? "side" : "delivery";
}

/** The lane in which a delivery continues: its endpoint's if that is later than the one it has reached. */
export function laterLane(reached: Lane, health: EndpointHealth): Lane {
  const own = laneOf(health);
  return LANES.indexOf(own) > LANES.indexOf(reached) ? own : reached;
}

/**
 * An endpoint's pace after an attempt was cut. One from the delivery queue, where only fast endpoints have attempts,
 * puts it on probation; one from the side queue makes it slow.
 */
export function paceAfterCut(lane: Exclude<Lane, "retry">, now: Date): Pace {
  return lane === "delivery" ? { probationSince: now.toISOString() } : { slowSince: now.toISOString() };
}
