import type { Terminal } from "./terminal.ts";

/**
 * Runs a command as this process, which ends with the command's exit code.
 *
 * @param run gets the arguments that follow the command's name, and returns the exit code
 */
export async function main(
  run: (args: readonly string[], terminal: Terminal) => Promise<number>,
): Promise<void> {
  explainUnwritableOutput();
  const exitCode = await run(process.argv.slice(2), process);
  // Unless the output could not be written.
  process.exitCode ??= exitCode;
}

/** Keeps output that cannot be written from ending this process with a trace: it ends with a sentence instead. */
function explainUnwritableOutput(): void {
  process.stdout.on("error", ({ code, message }: NodeJS.ErrnoException) => {
    // `| head -1`: nobody reads any more.
    if (code === "EPIPE") return;
    process.stderr.write(`The output cannot be written: ${message}\n`);
    process.exitCode = 1;
  });
  // There is no other stream on which to report this.
  process.stderr.on("error", () => {});
}
