import { clearTimeout as importedClearTimeout, setTimeout as importedSetTimeout } from "node:timers";
import pRetry from "p-retry";
import { expect, test } from "vitest";
import { withVirtualTimers } from "../../tools/simulation/process-timers.ts";
import { Random } from "../../tools/simulation/random.ts";
import { VirtualClock } from "../../tools/simulation/virtual-clock.ts";

/** What comes of `work` on a clock of its own that starts at 0. */
function simulated<Result>(work: (clock: VirtualClock) => Promise<Result>): Promise<Result> {
  const clock = new VirtualClock(0);
  return withVirtualTimers(clock, new Random("timers"), async () => {
    const result = work(clock);
    // A rejection is seen when the clock has run.
    result.catch(() => {});
    await clock.run(86_400_000);
    return result;
  });
}

test("process timers fire in virtual time, with their arguments, unless they are cleared", async () => {
  const fired = await simulated(async (clock) => {
    const events: unknown[] = [];
    setTimeout((...given: unknown[]) => events.push([clock.now(), ...given]), 3_600_000, "an hour", 1);
    setTimeout(() => events.push(clock.now()));
    clearTimeout(setTimeout(() => events.push("cleared"), 10));
    clearTimeout(undefined);
    await clock.delay(7_200_000);
    return events;
  });

  expect(fired).toEqual([1, [3_600_000, "an hour", 1]]);
});

test("timers imported by a library fire in virtual time", async () => {
  const firedAt = await simulated(
    (clock) =>
      new Promise((resolve, reject) => {
        importedClearTimeout(importedSetTimeout(reject, 10));
        importedSetTimeout(() => resolve(clock.now()), 3_600_000);
      }),
  );

  expect(firedAt).toBe(3_600_000);
});

test("a library's retries take the same virtual time in every run", async () => {
  const run = () =>
    simulated(async (clock) => {
      let attempts = 0;
      const failTwice = async () => {
        attempts += 1;
        if (attempts < 3) throw new Error("Not yet.");
        return clock.now();
      };
      return [await pRetry(failTwice, { randomize: true }), Math.random()];
    });

  const [first, again] = [await run(), await run()];

  expect(first[0]).toBeGreaterThan(3_000);
  expect(again).toEqual(first);
});

test("the process's timers and randomness are restored, even if a simulation fails", async () => {
  const own = [setTimeout, clearTimeout, Math.random];
  const imported = importedSetTimeout;
  let replaced: unknown[] = [];

  const failing = simulated(async () => {
    replaced = [setTimeout, clearTimeout, Math.random];
    throw new Error("It fails.");
  });

  await expect(failing).rejects.toThrow("It fails.");
  expect([setTimeout, clearTimeout, Math.random]).toEqual(own);
  expect(importedSetTimeout).toBe(imported);
  for (const [index, each] of replaced.entries()) expect(each).not.toBe(own[index]);
});

test("a second simulation cannot replace the timers of the first", async () => {
  const second = simulated(() => simulated(async () => "both"));

  await expect(second).rejects.toThrow("Another simulation has replaced the timers");
});
