import { constants } from "node:os";
import { oneSignal } from "./one-signal.ts";
import type { Terminal } from "./terminal.ts";

/**
 * Does work of which a Ctrl-C leaves nothing to finish: it ends the process at once, and its `exit` listeners are
 * called, which they are not by default.
 */
export async function endedByInterruption<Result>(
  terminal: Terminal,
  work: () => Promise<Result>,
): Promise<Result> {
  const exit = (signal: NodeJS.Signals) => terminal.exit(exitCodeOf(signal));
  terminal.on("SIGINT", exit).on("SIGTERM", exit);
  try {
    return await work();
  } finally {
    terminal.off("SIGINT", exit).off("SIGTERM", exit);
  }
}

/**
 * The first Ctrl-C aborts the signal, the second ends the process at once.
 *
 * @param finishing a sentence about the work that continues after the first one, if there is any
 */
export function watchForInterruption(
  terminal: Terminal,
  finishing: () => string | undefined,
  controller = new AbortController(),
) {
  let exitCode: number | undefined;
  const interrupt = oneSignal(
    (signal) => {
      exitCode = exitCodeOf(signal);
      const goesOn = finishing();
      terminal.stderr.write(goesOn ? `\n${goesOn} Press Ctrl-C again to stop at once.\n` : "\n");
      controller.abort();
    },
    () => terminal.exit(exitCode),
  );
  terminal.on("SIGINT", interrupt).on("SIGTERM", interrupt);
  return {
    signal: controller.signal,
    get exitCode() {
      return exitCode;
    },
    end: () => void terminal.off("SIGINT", interrupt).off("SIGTERM", interrupt),
  };
}

function exitCodeOf(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal];
}
