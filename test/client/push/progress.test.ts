import { PassThrough } from "node:stream";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { duration, showProgress } from "../../../client/push/progress.ts";
import { summary } from "../../../client/push/summary.ts";
import { emptyTally } from "../../../client/push/tally.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** What is shown of a push of 1,000 bytes, a tenth of it done in each second. */
function shown(isTTY: boolean, { size }: { readonly size: number | undefined } = { size: 1000 }) {
  const stream = Object.assign(new PassThrough(), { isTTY, columns: 120 }) as unknown as NodeJS.WriteStream;
  const tally = emptyTally();
  let pauseMs = 0;
  const progress = showProgress(stream, { tally, size, pauseMs: () => pauseMs });
  return {
    tally,
    progress,
    pause: (ms: number) => {
      pauseMs = ms;
    },
    after(seconds: number): string {
      for (let second = 0; second < seconds; second += 1) {
        tally.created += 150;
        tally.position += 100;
        vi.advanceTimersByTime(1000);
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
    /█+░+ 40 % \| 603 rows \| 151\/s \| 6 s left \| 3 refused \| the service requested a wait of 3 s/,
  );
  progress.stop();
});

test("push progress outside a terminal is a plain line every few seconds", () => {
  const { after, progress } = shown(false);

  expect(after(4)).toBe("");
  expect(after(1)).toBe("750 rows, 150/s, 5 s left\n");
  progress.stop();
  expect(after(10)).toBe("");
});

test("push progress of an input of unknown size shows no time left", () => {
  const { after, progress } = shown(true, { size: undefined });

  expect(after(5)).toBe("750 rows, 150/s\n");
  progress.stop();
});

test("rows of an earlier run count neither for the rate nor for the time left", () => {
  const { after, tally, progress } = shown(false);
  tally.skipped = 10_000;
  tally.position = tally.skippedPosition = 300;

  expect(after(5)).toBe("10,750 rows, 150/s, 2 s left\n");
  progress.stop();
});

test.each([
  [0.2, "1 s"],
  [59, "59 s"],
  [61, "1 min 1 s"],
  [3600 * 5 + 60 * 7, "5 h 7 min"],
])("a duration of %d seconds is shown as %s", (seconds, told) => {
  expect(duration(seconds)).toBe(told);
});

test("the final summary of a push shows the outcomes of the rows and what to do", () => {
  const tally = { ...emptyTally(), skipped: 500, created: 1200, unchanged: 2, refused: 1, failed: 1 };

  expect(summary({ tally, refused: 3, refusedFile: "x.ndjson", seconds: 61, goOn: "again" })).toBe(
    [
      "1,704 rows in 1 min 1 s: 498 done earlier, 1,200 created, 2 already existed, 3 refused, 1 failed.",
      "Existing candidates were left unchanged. Add --sync to amend them.",
      "Reasons for each row: x.ndjson",
      "Run the same command again to push what is left.",
      "",
    ].join("\n"),
  );
});
