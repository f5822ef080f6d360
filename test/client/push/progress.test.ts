import { EventEmitter } from "node:events";
import { PassThrough } from "node:stream";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { showProgress } from "../../../client/push/progress.ts";
import { summary } from "../../../client/push/summary.ts";
import { emptyTally } from "../../../client/push/tally.ts";
import { duration } from "../../../client/terminal/duration.ts";
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

test.each([
  [0.2, "1 s"],
  [59, "59 s"],
  [61, "1 min 1 s"],
  [3600 * 5 + 60 * 7, "5 h 7 min"],
  [Number.POSITIVE_INFINITY, "more than 100 days"],
])("a duration of %d seconds is shown as %s", (seconds, told) => {
  expect(duration(seconds)).toBe(told);
});

test("the final summary of a push shows the outcomes of the rows and what to do", () => {
  const tally = {
    ...emptyTally(),
    skipped: 500,
    skippedRefused: 2,
    created: 1200,
    unchanged: 2,
    refused: 1,
    failed: 1,
  };

  const firstReasons = ["line 7: email: an e-mail address is expected", "line 9: Alas."];
  const outcome = { tally, notes: [], refused: 3, refusedFile: "x.ndjson", firstReasons, seconds: 61 };

  expect(summary({ ...outcome, compared: 3_145_728, mode: "create", goOn: "again" })).toBe(
    [
      "1,704 rows in 1 min 1 s: 498 done earlier, 1,200 created, 2 already existed, 3 refused, 1 failed.",
      "Existing candidates were left unchanged. Add --update to amend those that differ.",
      "  line 7: email: an e-mail address is expected",
      "  line 9: Alas.",
      "Reasons for each row: x.ndjson",
      "Only the first 3,145,728 rows were compared with later ones to find a repeated externalId.",
      "Run the same command again to push the remaining rows.",
      "",
    ].join("\n"),
  );
});

test("the final summary of an interrupted push counts only the earlier refusals that it has passed", () => {
  const tally = { ...emptyTally(), skipped: 5 };
  const outcome = {
    tally,
    refused: 3,
    refusedFile: "x",
    notes: [],
    firstReasons: [],
    compared: undefined,
    seconds: 1,
  };

  expect(summary({ ...outcome, mode: "create", goOn: "again" })).toBe(
    [
      "5 rows in 1 s: 5 done earlier.",
      "Reasons for each row: x",
      "Run the same command again to push the remaining rows.",
      "",
    ].join("\n"),
  );
});

test.each([
  [
    "update",
    { amended: 1, unchanged: 1 },
    "2 rows in 1 s: 1 amended, 1 already up to date as far as compared.\n",
  ],
  ["dry run", { valid: 1 }, "1 row in 1 s: 1 valid.\nNothing was sent.\n"],
] as const)("the final summary of a push says what it was, a push with %s", (mode, outcomes, told) => {
  const tally = { ...emptyTally(), ...outcomes };
  const outcome = {
    tally,
    refused: 0,
    refusedFile: "x",
    notes: [],
    firstReasons: [],
    compared: undefined,
    seconds: 1,
  };

  expect(summary({ ...outcome, mode, goOn: undefined })).toBe(told);
});

test("the final summary of a push says that it took under a second, and shows no row if none was read", () => {
  const outcome = { refused: 0, refusedFile: "x", notes: [], firstReasons: [], compared: undefined };
  const short = { ...outcome, mode: "create", seconds: 0.99 } as const;

  expect(summary({ ...short, tally: { ...emptyTally(), created: 1 }, goOn: undefined })).toBe(
    "1 row in under 1 s: 1 created.\n",
  );
  expect(summary({ ...short, tally: emptyTally(), goOn: "file" })).toBe(
    "Correct the file, then run the command again.\n",
  );
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
    return after(0);
  });

  expect(bars).toEqual([expect.stringContaining("100 %"), expect.not.stringContaining("100 %")]);
});
