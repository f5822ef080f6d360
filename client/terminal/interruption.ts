import { constants } from "node:os";
import type { Terminal } from "./terminal.ts";

/** npm forwards a Ctrl-C that the terminal has already sent; within this time it is the same signal. In ms. */
const SAME_SIGNAL_MS = 500;

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
  let interruptedAt = 0;
  const interrupt = (signal: NodeJS.Signals) => {
    if (exitCode !== undefined) {
      if (performance.now() - interruptedAt > SAME_SIGNAL_MS) terminal.exit(exitCode);
      return;
    }
    interruptedAt = performance.now();
    exitCode = 128 + constants.signals[signal];
    const goesOn = finishing();
    terminal.stderr.write(goesOn ? `\n${goesOn} Press Ctrl-C again to stop at once.\n` : "\n");
    controller.abort();
  };
  terminal.on("SIGINT", interrupt).on("SIGTERM", interrupt);
  return {
    signal: controller.signal,
    get exitCode() {
      return exitCode;
    },
    end: () => void terminal.off("SIGINT", interrupt).off("SIGTERM", interrupt),
  };
}
