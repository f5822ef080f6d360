import type { EndpointHealth } from "#webhooks/endpoints/endpoint-health";

/**
 * The queue that deliveries to an endpoint wait in. A slow receiver occupies its consumer for the whole timeout, so
 * new, slow and failing endpoints have a queue and a consumer of their own, and no other endpoint waits for them. A new
 * one is suspected of being slow until it responds (`WebhookEndpointRepository.register`).
 */
export const LANES = ["delivery", "retry"] as const;
export type Lane = (typeof LANES)[number];

/**
 * The timeout of an attempt in each lane, in ms. An attempt that is cut short in the delivery queue is made again
 * from the retry queue, where the receiver has all its time.
 */
export const TIMEOUTS: Readonly<Record<Lane, number>> = { delivery: 2_000, retry: 10_000 };

/** Where deliveries to an endpoint wait. */
export function laneOf(health: EndpointHealth): Lane {
  return health.suspectedSince === undefined && !isTroubled(health) ? "delivery" : "retry";
}

/** Whether an endpoint is slow or failing: its deliveries may wait for long. */
export function isTroubled({ failingSince, slowSince }: EndpointHealth): boolean {
  return failingSince !== undefined || slowSince !== undefined;
}
