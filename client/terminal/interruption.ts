import { constants } from "node:os";
import { oneSignal } from "./one-signal.ts";
import type { Terminal } from "./terminal.ts";

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
      exitCode = 128 + constants.signals[signal];
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
