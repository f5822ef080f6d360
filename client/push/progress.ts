import { SingleBar } from "cli-progress";
import { duration } from "../terminal/duration.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { RecentRate } from "./recent-rate.ts";
import { rowsInWords } from "./row.ts";
import { processedRows, type Tally } from "./tally.ts";

const BAR_INTERVAL_MS = 200;
const LINE_INTERVAL_MS = 5_000;
/** Before a twentieth of the file is done, or half a minute has passed, the first requests decide the rate. */
const ESTIMATED_FROM = { share: 1 / 20, seconds: 30 };

interface Progress {
  /** Shows the final state and ends. */
  stop(isComplete: boolean): void;
}

interface Watched {
  readonly tally: Tally;
  /** The size of the file in bytes, if known. */
  readonly size: number | undefined;
  /** Why rows are delayed, and for how much longer none is sent, in ms; undefined if they are not. */
  delay(): { readonly reason: string; readonly remainingMs: number } | undefined;
}

/** Shows the progress of a push: a bar on a terminal, otherwise a line every few seconds. */
export function showProgress(terminal: ProgressTerminal, watched: Watched): Progress {
  const status = statusOf(watched);
  return terminal.stderr.isTTY && watched.size !== undefined
    ? showBar(terminal, watched.size, watched, status)
    : showLines(terminal.stderr, status);
}

type ProgressTerminal = Pick<Terminal, "stderr" | "once" | "off">;

function showBar(terminal: ProgressTerminal, size: number, { tally }: Watched, status: Status): Progress {
  const { stderr: stream } = terminal;
  const bar = new SingleBar({
    stream,
    format: "{bar} {percentage} % | {status}",
    barCompleteChar: "█",
    barIncompleteChar: "░",
    barsize: 24,
    hideCursor: false,
  });
  const payload = () => ({ status: status().join(" | ") });
  bar.start(size, 0, payload());
  const timer = setInterval(() => bar.update(tally.bytes, payload()), BAR_INTERVAL_MS);
  const stop = (isComplete: boolean) => {
    clearInterval(timer);
    terminal.off("exit", abandon);
    // The rows' sizes do not include what is between and after them.
    bar.update(isComplete ? size : tally.bytes, payload());
    bar.stop();
  };
  // Otherwise the terminal would not break lines any more, as while the bar is shown.
  const abandon = () => stop(false);
  terminal.once("exit", abandon);
  return { stop };
}

function showLines(stream: NodeJS.WriteStream, status: Status): Progress {
  const timer = setInterval(() => stream.write(`${status().join(", ")}\n`), LINE_INTERVAL_MS);
  return { stop: () => clearInterval(timer) };
}

type Status = () => string[];

/** Rows, rate, time left, refusals, failures and delays, measured from now on. */
function statusOf({ tally, size, delay }: Watched): Status {
  const startedAt = performance.now();
  const [rowRate, byteRate] = [new RecentRate(), new RecentRate()];
  const isEstimable = (seconds: number) =>
    seconds >= ESTIMATED_FROM.seconds ||
    tally.bytes - tally.skippedBytes >= ((size ?? 0) - tally.skippedBytes) * ESTIMATED_FROM.share;
  return () => {
    const rows = processedRows(tally);
    const seconds = (performance.now() - startedAt) / 1000;
    const rowsPerSecond = rowRate.at(rows, seconds);
    const bytesPerSecond = byteRate.at(tally.bytes - tally.skippedBytes, seconds);
    const parts = [rowsInWords(rows + tally.skipped)];
    // Rows that are refused here, or done by an earlier run, take almost no time, so the rate leaves them out.
    if (rows > tally.refused + tally.failed && seconds >= 1) {
      parts.push(`${Math.round(rowsPerSecond).toLocaleString("en")}/s`);
      if (size !== undefined && bytesPerSecond > 0 && isEstimable(seconds)) {
        parts.push(`${duration(Math.max(0, size - tally.bytes) / bytesPerSecond)} left`);
      }
    }
    if (tally.refused > 0) parts.push(`${tally.refused.toLocaleString("en")} refused`);
    if (tally.failed > 0) parts.push(`${tally.failed.toLocaleString("en")} failed`);
    const { reason, remainingMs = 0 } = delay() ?? {};
    if (remainingMs > 0) parts.push(`${reason}, resumes in ${duration(remainingMs / 1000)}`);
    else if (reason) parts.push(reason);
    return parts;
  };
}
