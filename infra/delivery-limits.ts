import type { EventSourceMappingOptions } from "aws-cdk-lib/aws-lambda";
import * as z from "zod";
import { settings, wholeNumber } from "./setting-values.ts";

/**
 * How many batches of a queue, of ten deliveries each, run at once. Either up to a limit, without a fixed price: Lambda
 * starts with five and adds at most 300 a minute. Or ten for each provisioned poller, at an hourly price: the minimum
 * number of pollers always runs (AWS Lambda developer guide, "Configuring scaling behavior for SQS event source
 * mappings" and "Lambda parameters for Amazon SQS event source mappings").
 */
export const BatchConcurrency = z.union(
  [
    settings({ atMost: wholeNumber(2, 1_000, "AWS Lambda") }),
    settings({
      /** Pollers. */
      provisioned: settings({
        atLeast: wholeNumber(2, 200, "AWS CDK"),
        atMost: wholeNumber(2, 2_000, "AWS CDK"),
      }).refine(({ atLeast, atMost }) => atLeast <= atMost, {
        path: ["atMost"],
        error: "at least as many as atLeast is expected",
      }),
    }),
  ],
  "{ atMost: 2 to 1,000 } or { provisioned: { atLeast: 2 to 200, atMost: 2 to 2,000 } } is expected (AWS Lambda, AWS CDK)",
);
export type BatchConcurrency = z.infer<typeof BatchConcurrency>;

/**
 * How many deliveries run at once, chosen by simulation and by price (docs/decisions/0044-delivery-limits.md). An
 * environment that reserves executions needs one for each batch: ten for a poller.
 */
export const DELIVERY_LIMITS = {
  /** A load that grows within seconds to more than 100 deliveries a second waits for seconds. */
  withoutFixedPrice: {
    deliveryConcurrency: { atMost: 100 },
    sideConcurrency: { atMost: 30 },
    retryConcurrency: { atMost: 100 },
  },
  /**
   * For millions of deliveries a day, and 10,000 a second at once: a poller receives ten times a second, ten messages
   * each time. Reserve 1,000 executions for deliver-webhook and 400 for retry-webhook, of an account's quota of 2,100.
   */
  forBursts: {
    deliveryConcurrency: { provisioned: { atLeast: 78, atMost: 100 } },
    sideConcurrency: { atMost: 30 },
    retryConcurrency: { provisioned: { atLeast: 2, atMost: 40 } },
  },
} as const satisfies Record<
  string,
  Readonly<Record<"deliveryConcurrency" | "sideConcurrency" | "retryConcurrency", BatchConcurrency>>
>;

/** Deliveries in a batch: the most without a batching window, in which Lambda may wait for up to 20 s. */
export const BATCH_SIZE = 10;

/**
 * The memory of deliver-webhook, deliver-aside and retry-webhook, in MB. They spend nearly all of their time waiting
 * for receivers, which is billed by memory, and need not start more slowly with less of it
 * (docs/decisions/0044-delivery-limits.md).
 */
export const MEMORY = { delivery: 512, side: 512, retry: 192 } as const;

/** How many batches a provisioned poller runs at once (see {@link BatchConcurrency}). */
const BATCHES_PER_POLLER = 10;

/** The most batches that an event source runs at once. */
export function mostBatches(concurrency: BatchConcurrency): number {
  return "atMost" in concurrency ? concurrency.atMost : concurrency.provisioned.atMost * BATCHES_PER_POLLER;
}

/**
 * The pollers that cost money even when there is nothing to deliver.
 *
 * @internal Exported for the cost of production, and for its simulation.
 */
export function leastPollers(concurrency: BatchConcurrency): number {
  return "atMost" in concurrency ? 0 : concurrency.provisioned.atLeast;
}

/** How an event source scales, as its properties: AWS does not accept both of them together. */
export function scalingOf(
  concurrency: BatchConcurrency,
): Pick<EventSourceMappingOptions, "maxConcurrency" | "provisionedPollerConfig"> {
  if ("atMost" in concurrency) return { maxConcurrency: concurrency.atMost };
  const { atLeast, atMost } = concurrency.provisioned;
  return { provisionedPollerConfig: { minimumPollers: atLeast, maximumPollers: atMost } };
}
