import { expect, test } from "vitest";
import { inParallel } from "#runtime/in-parallel";

test("results are in the order of the values, with as many at once as allowed", async () => {
  const started: number[] = [];
  const ends = [0, 1, 2].map(() => Promise.withResolvers<void>());
  const all = inParallel([0, 1, 2], 2, async (value) => {
    started.push(value);
    await ends[value]?.promise;
    return value * 10;
  });
  expect(started).toEqual([0, 1]);
  ends[1]?.resolve();
  await expect.poll(() => started).toEqual([0, 1, 2]);
  ends[2]?.resolve();
  ends[0]?.resolve();

  await expect(all).resolves.toEqual([0, 10, 20]);
});

test("after a failure nothing more begins, and what is under way is waited for", async () => {
  const started: number[] = [];
  const slow = Promise.withResolvers<void>();
  let hasEnded = false;
  const all = inParallel([0, 1, 2, 3], 2, async (value) => {
    started.push(value);
    if (value === 1) throw new Error("outage");
    await slow.promise;
  }).finally(() => {
    hasEnded = true;
  });
  const failure = expect(all).rejects.toThrow("outage");
  await new Promise((resolve) => setImmediate(resolve));
  expect({ hasEnded, started }).toEqual({ hasEnded: false, started: [0, 1] });
  slow.resolve();

  await failure;
  expect(started).toEqual([0, 1]);
});
