import { SingleBar } from "cli-progress";
import { dealtWith, type Tally } from "./tally.ts";

const BAR_INTERVAL_MS = 200;
const LINE_INTERVAL_MS = 5_000;

interface Progress {
  /** Shows the final state and ends. */
  stop(): void;
}

interface Watched {
  readonly tally: Tally;
  /** The size of the file in bytes, if known. */
  readonly size: number | undefined;
  /** The wait that the service has requested. */
  pauseMs(): number;
}

/** Shows the progress of a push: a bar on a terminal, otherwise a line every few seconds. */
export function showProgress(stream: NodeJS.WriteStream, watched: Watched): Progress {
  const pace = paceOf(watched);
  return stream.isTTY && watched.size !== undefined
    ? showBar(stream, watched.size, watched, pace)
    : showLines(stream, pace);
}

function showBar(stream: NodeJS.WriteStream, size: number, { tally }: Watched, pace: Pace): Progress {
  const bar = new SingleBar({
    stream,
    format: "{bar} {percentage} % | {status}",
    barCompleteChar: "█",
    barIncompleteChar: "░",
    barsize: 24,
    hideCursor: false,
  });
  const status = () => ({ status: pace().join(" | ") });
  bar.start(size, 0, status());
  const timer = setInterval(() => bar.update(tally.position, status()), BAR_INTERVAL_MS);
  return {
    stop() {
      clearInterval(timer);
      bar.update(tally.position, status());
      bar.stop();
    },
  };
}

function showLines(stream: NodeJS.WriteStream, pace: Pace): Progress {
  const timer = setInterval(() => stream.write(`${pace().join(", ")}\n`), LINE_INTERVAL_MS);
  return { stop: () => clearInterval(timer) };
}

type Pace = () => string[];

/** Rows, rate, time left, refusals and pauses, measured from now on. */
function paceOf({ tally, size, pauseMs }: Watched): Pace {
  const startedAt = performance.now();
  return () => {
    const rows = dealtWith(tally);
    const seconds = (performance.now() - startedAt) / 1000;
    const parts = [`${(rows + tally.skipped).toLocaleString("en")} rows`];
    if (rows > 0 && seconds >= 1) {
      parts.push(`${Math.round(rows / seconds).toLocaleString("en")}/s`);
      // Rows done by an earlier run take almost no time.
      const bytes = tally.position - tally.skippedPosition;
      if (size !== undefined && bytes > 0) {
        parts.push(`${duration(((size - tally.position) / bytes) * seconds)} left`);
      }
    }
    const refused = tally.refused + tally.failed;
    if (refused > 0) parts.push(`${refused.toLocaleString("en")} refused`);
    if (pauseMs() > 0) parts.push(`the service requested a wait of ${duration(pauseMs() / 1000)}`);
    return parts;
  };
}

/** A number of seconds in readable form. */
export function duration(seconds: number): string {
  const whole = Math.ceil(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}
