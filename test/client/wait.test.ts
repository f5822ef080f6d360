import { expect, onTestFinished, test, vi } from "vitest";
import { wait } from "../../client/src/wait.ts";

test("a wait that is longer than Node's timers does not end at once", async () => {
  const abortion = new AbortController();
  const waiting = wait(2 ** 40, abortion.signal);

  // A timer that overflows fires after 1 ms, before this one.
  await expect(Promise.race([waiting, wait(20, undefined).then(() => "later")])).resolves.toBe("later");

  abortion.abort(new Error("enough"));
  await expect(waiting).rejects.toThrow("enough");
});

test("a signal ends a wait after another one with the same signal has ended, and no timer remains", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const abortion = new AbortController();
  const [first, second] = [wait(10, abortion.signal), wait(60_000, abortion.signal)];
  await vi.advanceTimersByTimeAsync(10);
  await first;

  abortion.abort(new Error("enough"));

  expect(vi.getTimerCount()).toBe(0);
  await expect(second).rejects.toThrow("enough");
});
