import { setTimeout as delay } from "node:timers/promises";

const PER_SECOND = 50;

/** Begins a piece of work every fiftieth of a second, whether or not earlier ones have ended, and waits for all. */
export async function evenly(count: number, work: () => Promise<unknown>): Promise<void> {
  const startedAt = performance.now();
  const underWay: Promise<unknown>[] = [];
  for (let begun = 0; begun < count; begun++) {
    const dueAt = startedAt + (1_000 * begun) / PER_SECOND;
    await delay(Math.max(0, dueAt - performance.now()));
    underWay.push(work());
  }
  await Promise.all(underWay);
}
