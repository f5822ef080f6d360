import { expect, test, vi } from "vitest";
import { simulateDelivery } from "../../tools/bench/delivery-simulation.ts";

vi.hoisted(() => vi.stubEnv("POWERTOOLS_LOG_LEVEL", "SILENT"));

const simulated = {
  events: 20_000,
  endpoints: 100,
  down: 0.1,
  burst: 50,
  concurrency: { delivery: 2, retry: 2 },
  retryQueue: true,
};

test("every simulated event is delivered or dead-lettered, and hanging receivers delay no other receiver", async () => {
  const [asBuilt, oneQueue] = [
    await simulateDelivery(simulated),
    await simulateDelivery({ ...simulated, retryQueue: false }),
  ];

  for (const result of [asBuilt, oneQueue]) {
    expect(result.delivered + result.deadLettered).toBe(simulated.events);
    expect(result.deadLettered).toBeGreaterThan(0);
  }
  expect(asBuilt.healthyDelay.p99).toBeLessThan(oneQueue.healthyDelay.p99 / 2);
});
