import { run } from "./run.ts";

process.stdout.on("error", ({ code, message }: NodeJS.ErrnoException) => {
  // `| head -1`: nobody reads any more.
  if (code === "EPIPE") return;
  process.stderr.write(`The output cannot be written: ${message}\n`);
  process.exitCode = 1;
});
// There is no other stream on which to report this.
process.stderr.on("error", () => {});

const exitCode = await run(process.argv.slice(2), process);
// Unless the output could not be written.
process.exitCode ??= exitCode;
