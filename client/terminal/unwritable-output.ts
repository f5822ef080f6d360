/** Keeps output that cannot be written from ending this process with a trace: it ends with a sentence instead. */
export function explainUnwritableOutput(): void {
  process.stdout.on("error", ({ code, message }: NodeJS.ErrnoException) => {
    // `| head -1`: nobody reads any more.
    if (code === "EPIPE") return;
    process.stderr.write(`The output cannot be written: ${message}\n`);
    process.exitCode = 1;
  });
  // There is no other stream on which to report this.
  process.stderr.on("error", () => {});
}
