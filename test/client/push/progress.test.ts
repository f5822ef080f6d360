import { EventEmitter } from "node:events";
import { PassThrough } from "node:stream";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { showProgress } from "../../../client/push/progress.ts";
import { emptyTally } from "../../../client/push/tally.ts";
import type { Terminal } from "../../../client/terminal/terminal.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** What is shown of a push of 1,000 bytes, a tenth of it done in each second. */
function shown(isTTY: boolean, { size }: { readonly size: number | undefined } = { size: 1000 }) {
  const stream = Object.assign(new PassThrough(), { isTTY, columns: 120 }) as unknown as NodeJS.WriteStream;
  const tally = emptyTally();
  let remainingMs = 0;
  const terminal = Object.assign(new EventEmitter(), { stderr: stream });
  const progress = showProgress(terminal as unknown as Terminal, {
    tally,
    size,
    delay: () => (remainingMs > 0 ? { reason: "the service asked callers to wait", remainingMs } : undefined),
  });
  return {
    tally,
    progress,
    exit: () => void terminal.emit("exit"),
    pause: (ms: number) => {
      remainingMs = ms;
    },
    after(seconds: number): string {
      for (let fifth = 0; fifth < seconds * 5; fifth += 1) {
        tally.created += 30;
        tally.bytes += 20;
        vi.advanceTimersByTime(200);
      }
      return String(stream.read() ?? "");
    },
  };
}

test("push progress on a terminal is a bar with rate, time left, refusals and pauses", () => {
  const { after, tally, pause, progress } = shown(true);

  after(2);
  tally.refused = 3;
  pause(2500);

  expect(after(2)).toMatch(
    /█+░+ 40 % \| 603 rows \| 151\/s \| 6 s left \| 3 refused \| the service asked callers to wait, resumes in 3 s/,
  );
  progress.stop(false);
});

test.each([true, false])(
  "push progress of a file that grows meanwhile ends at its first size (TTY: %s)",
  (isTTY) => {
    const { after, progress } = shown(isTTY);

    const last = after(15)
      .split(isTTY ? "█" : "\n")
      .at(isTTY ? -1 : -2);

    expect(last).toMatch(isTTY ? / 100 % \| .* \| 0 s left/ : /, 0 s left$/);
    progress.stop(false);
  },
);

test("push progress counts rows for which the service failed apart from refused ones", () => {
  const { after, tally, progress } = shown(false);
  tally.refused = 3;
  tally.failed = 2;

  expect(after(5)).toMatch(/, 3 refused, 2 failed\n$/);
  progress.stop(false);
});

test("the terminal breaks lines again if the process exits while the bar is shown", () => {
  const { after, exit } = shown(true);
  after(1);

  exit();

  const output = after(0);
  expect(output.lastIndexOf("\u001b[?7h")).toBeGreaterThan(output.lastIndexOf("\u001b[?7l"));
  expect(after(5)).toBe("");
});

test("push progress outside a terminal is a plain line every few seconds", () => {
  const { after, progress } = shown(false);

  expect(after(4)).toBe("");
  expect(after(1)).toBe("750 rows, 150/s, 5 s left\n");
  progress.stop(false);
  expect(after(10)).toBe("");
});

test("push progress of an input of unknown size shows no time left", () => {
  const { after, progress } = shown(true, { size: undefined });

  expect(after(5)).toBe("750 rows, 150/s\n");
  progress.stop(false);
});

test("push progress shows no time left before it is known how many bytes the rows take", () => {
  const { tally, progress, after } = shown(false);
  tally.created = 10;
  vi.advanceTimersByTime(5000);

  expect(after(0)).toBe("10 rows, 2/s\n");
  progress.stop(false);
});

test("push progress shows no time left until a twentieth of the file is done, or half a minute has passed", () => {
  const { progress, after } = shown(false, { size: 1_000_000 });

  expect(after(25)).not.toContain("left");
  expect(after(5)).toContain("left");
  progress.stop(false);

  const other = shown(false, { size: 1_000_000 });
  other.tally.bytes = 50_000;
  expect(other.after(5)).toContain("left");
  other.progress.stop(false);
});

test("rows of an earlier run count neither for the rate nor for the time left", () => {
  const { after, tally, progress } = shown(false);
  tally.skipped = 10_000;
  tally.bytes = tally.skippedBytes = 300;

  expect(after(5)).toBe("10,750 rows, 150/s, 2 s left\n");
  progress.stop(false);
});

test("push progress shows no rate and no time left while rows are only refused", () => {
  const { after, tally, progress } = shown(false);
  after(0);
  tally.refused = 1;
  vi.advanceTimersByTime(5000);

  expect(after(0)).toBe("1 row, 1 refused\n");
  progress.stop(false);
});

test("the bar of a complete push is at 100 %, and that of an incomplete one is not", () => {
  const bars = [true, false].map((isComplete) => {
    const { tally, progress, after } = shown(true);
    tally.created = 10;
    tally.bytes = 995;
    progress.stop(isComplete);
    expect(vi.getTimerCount(), "timers that keep the process from ending").toBe(0);
    return after(0);
  });

  expect(bars).toEqual([expect.stringContaining("100 %"), expect.not.stringContaining("100 %")]);
});
