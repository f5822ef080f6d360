import type { EventSourceMappingOptions } from "aws-cdk-lib/aws-lambda";
import type { BatchConcurrency } from "./environments.ts";

/** Deliveries in a batch: the most without a batching window, in which Lambda may wait for up to 20 s. */
export const BATCH_SIZE = 10;

/**
 * The memory of deliver-webhook and retry-webhook, in MB. retry-webhook spends nearly all of its time waiting for
 * receivers that hang, which is billed by memory.
 */
export const MEMORY = { delivery: 1024, retry: 512 } as const;

/** How many batches a provisioned poller runs at once (see {@link BatchConcurrency}). */
const BATCHES_PER_POLLER = 10;

/** The most batches that an event source runs at once. */
export function mostBatches(concurrency: BatchConcurrency): number {
  return "atMost" in concurrency ? concurrency.atMost : concurrency.provisioned.atMost * BATCHES_PER_POLLER;
}

/**
 * The pollers that have a price although there is nothing to deliver.
 *
 * @internal Exported for the cost of production, and for its simulation.
 */
export function leastPollers(concurrency: BatchConcurrency): number {
  return "atMost" in concurrency ? 0 : concurrency.provisioned.atLeast;
}

/** How an event source scales, as its properties: AWS refuses both at once. */
export function scalingOf(
  concurrency: BatchConcurrency,
): Pick<EventSourceMappingOptions, "maxConcurrency" | "provisionedPollerConfig"> {
  if ("atMost" in concurrency) return { maxConcurrency: concurrency.atMost };
  const { atLeast, atMost } = concurrency.provisioned;
  return { provisionedPollerConfig: { minimumPollers: atLeast, maximumPollers: atMost } };
}
