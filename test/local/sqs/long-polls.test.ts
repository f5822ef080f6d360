import { setImmediate } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { anEngine } from "./an-engine.ts";

test("A long poll that should have ended while the machine slept returns the first message after the sleep", async () => {
  vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const { queue, polls } = anEngine({ now: Date.now });
  const jobs = await queue("jobs");
  const poll = jobs.bodies({ WaitTimeSeconds: 20 });

  // As on a machine that slept, no timer ends.
  vi.setSystemTime(Date.now() + 3_600_000);
  await jobs.send("first");
  polls.wake();

  expect(await Promise.race([poll, setImmediate("still waiting")])).toEqual(["first"]);
});
