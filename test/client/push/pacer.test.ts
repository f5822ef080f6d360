import { getEventListeners } from "node:events";
import { expect, onTestFinished, test, vi } from "vitest";
import { Pacer } from "../../../client/push/pacer.ts";

test("calls that wait for the end of a pause share one listener on the signal that ends it", async () => {
  const stopping = new AbortController();
  const pacer = new Pacer();
  pacer.pause(60_000, "the service fails");

  const waiting = Promise.all(Array.from({ length: 64 }, () => pacer.ready(stopping.signal)));
  expect(getEventListeners(stopping.signal, "abort")).toHaveLength(1);
  stopping.abort();

  await waiting;
  expect(getEventListeners(stopping.signal, "abort")).toEqual([]);
});

test("a pause is not longer if the clock is set back meanwhile", async () => {
  const pacer = new Pacer();
  pacer.pause(20, "the service fails");
  const hourAgo = Date.now() - 3_600_000;
  const clock = vi.spyOn(Date, "now").mockReturnValue(hourAgo);
  onTestFinished(() => clock.mockRestore());

  expect(pacer.delay?.remainingMs).toBeLessThanOrEqual(20);
  await pacer.ready(AbortSignal.timeout(2_000));
  expect(pacer.delay?.remainingMs).toBe(0);
});

test("a shorter pause, or a call that succeeds meanwhile, does not end a longer one", () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const pacer = new Pacer();
  pacer.pause(60_000, "the service asked callers to wait");

  pacer.pause(1_000, "no connection");
  pacer.succeeded();

  expect(pacer.delay).toEqual({ reason: "the service asked callers to wait", remainingMs: 60_000 });
});

test("a call that waits for the end of a pause waits for that of a longer one too", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const pacer = new Pacer();
  pacer.pause(1_000, "no connection");
  let isReady = false;
  const waiting = pacer.ready(new AbortController().signal).then(() => {
    isReady = true;
  });

  pacer.pause(60_000, "the service asked callers to wait");
  await vi.advanceTimersByTimeAsync(59_999);

  expect(isReady).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  await waiting;
});
