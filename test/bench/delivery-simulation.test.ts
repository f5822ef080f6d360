import { expect, test, vi } from "vitest";
import type { BatchConcurrency } from "../../infra/delivery-limits.ts";
import { type Simulated, simulateDelivery } from "../../tools/bench/delivery-simulation.ts";
import { hangingReceivers } from "../../tools/bench/simulated-receivers.ts";

vi.hoisted(() => vi.stubEnv("POWERTOOLS_LOG_LEVEL", "SILENT"));

const sources = (delivery: BatchConcurrency, retry = delivery): Simulated["eventSources"] => ({
  delivery: { batchSize: 10, concurrency: delivery },
  side: { batchSize: 10, concurrency: { atMost: 10 } },
  retry: { batchSize: 10, concurrency: retry },
});

/** Two events a second, and a tenth of the receivers hangs from the second minute on. */
const hanging: Simulated = {
  seconds: 900,
  arrivingIn: () => 2,
  receivers: () => hangingReceivers({ endpoints: 100, down: 0.1, from: 60_000 }),
  eventSources: sources({ atMost: 2 }, { atMost: 20 }),
  retryQueue: true,
  memory: { delivery: 1024, side: 1024, retry: 1024 },
  withRetries: true,
};

/** A thousand events a second from the first one on. */
const sudden: Simulated = {
  ...hanging,
  seconds: 10,
  arrivingIn: () => 1_000,
  receivers: () => hangingReceivers({ endpoints: 100, down: 0, from: 0 }),
  withRetries: false,
};

test("every simulated event is delivered or dead-lettered, and hanging receivers delay no other receiver", async () => {
  const [asBuilt, oneQueue] = [
    await simulateDelivery(hanging),
    await simulateDelivery({ ...hanging, retryQueue: false }),
  ];

  for (const result of [asBuilt, oneQueue]) {
    expect(result.delivered + result.deadLettered).toBe(2 * hanging.seconds);
    expect(result.deadLettered).toBeGreaterThan(0);
  }
  expect(asBuilt.healthyDelay.p99).toBeLessThan(oneQueue.healthyDelay.p99 / 2);
});

test("an event source without provisioned pollers starts with five batches at once and adds five a second", async () => {
  const slow = await simulateDelivery({ ...sudden, eventSources: sources({ atMost: 1_000 }) });
  const fast = await simulateDelivery({
    ...sudden,
    eventSources: sources({ provisioned: { atLeast: 40, atMost: 40 } }),
  });

  // Each place delivers some 20 events a second: 40 places after seven seconds, and 3,500 events wait until then.
  expect(slow.deepest.delivery).toBeGreaterThan(2_500);
  expect(slow.deepest.delivery).toBeLessThan(5_000);
  expect(slow.worstHealthyP99).toBeGreaterThan(3_000);
  expect(fast.worstHealthyP99).toBeLessThan(1_000);
});

test("a provisioned poller receives at most a hundred messages a second", async () => {
  const tooFew = { provisioned: { atLeast: 5, atMost: 5 } };

  const { deepest, pollerHours } = await simulateDelivery({ ...sudden, eventSources: sources(tooFew) });

  // Half of ten thousand events is left after ten seconds.
  expect(deepest.delivery).toBeGreaterThan(4_500);
  expect(deepest.delivery).toBeLessThan(5_500);
  expect(pollerHours).toBeCloseTo((2 * 5 * 10) / 3_600, 3);
});

test("the events of a slow endpoint are published to the retry queue", async () => {
  const slow = () =>
    hangingReceivers({ endpoints: 1, down: 0, from: 0 }).map((receiver) => ({
      ...receiver,
      endpoint: { ...receiver.endpoint, slowSince: "1970-01-01T00:00:00.000Z" },
    }));

  const { delivered, secondsOf } = await simulateDelivery({
    ...sudden,
    seconds: 5,
    arrivingIn: () => 2,
    receivers: slow,
  });

  expect(delivered).toBe(10);
  expect(secondsOf.delivery + secondsOf.side).toBe(0);
  expect(secondsOf.retry).toBeGreaterThan(0);
});

test("a new execution environment starts as fast with less memory, and its start is billed", async () => {
  const single = { ...sudden, seconds: 1, arrivingIn: () => 1 };
  const withMemory = (delivery: number) =>
    simulateDelivery({ ...single, memory: { ...sudden.memory, delivery } });

  const [large, small] = [await withMemory(1_024), await withMemory(256)];

  // The 3 ms of one vCPU that a delivery takes.
  const difference = small.secondsOf.delivery - large.secondsOf.delivery;
  expect(difference).toBeCloseTo(0.003 * (1_769 / 256 - 1_769 / 1_024), 4);
  expect(small.healthyDelay.max - large.healthyDelay.max).toBeCloseTo(1_000 * difference, 0);
  // Lambda bills what comes after the 0.2 s until the function's start begins.
  expect(large.healthyDelay.max - 1_000 * large.secondsOf.delivery).toBeCloseTo(200, 0);
  expect(large.secondsOf.delivery).toBeGreaterThan(0.3);
});
