import { constants } from "node:os";

/** npm forwards a Ctrl-C that the terminal has already sent; within this time it is the same signal. In ms. */
const SAME_SIGNAL_MS = 500;

/**
 * The first Ctrl-C aborts the signal, the second ends the process at once.
 *
 * @param finishing a sentence about the work that continues after the first one, if there is any
 */
export function watchForInterruption(
  finishing: () => string | undefined,
  controller = new AbortController(),
) {
  let exitCode: number | undefined;
  let interruptedAt = 0;
  const interrupt = (signal: NodeJS.Signals) => {
    if (exitCode !== undefined) {
      if (performance.now() - interruptedAt > SAME_SIGNAL_MS) process.exit(exitCode);
      return;
    }
    interruptedAt = performance.now();
    exitCode = 128 + constants.signals[signal];
    const goesOn = finishing();
    process.stderr.write(goesOn ? `\n${goesOn} Press Ctrl-C again to stop at once.\n` : "\n");
    controller.abort();
  };
  process.on("SIGINT", interrupt).on("SIGTERM", interrupt);
  return {
    signal: controller.signal,
    get exitCode() {
      return exitCode;
    },
    end: () => void process.off("SIGINT", interrupt).off("SIGTERM", interrupt),
  };
}
