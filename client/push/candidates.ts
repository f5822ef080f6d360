import { Command, CommanderError, InvalidArgumentError, Option } from "commander";
import manifest from "../package.json" with { type: "json" };
import { CommandError, UsageError } from "./errors.ts";
import { FORMATS } from "./formats.ts";
import { type PushOptions, pushFile } from "./push-file.ts";

/** Exit codes: it could not be done, or the command or a file that goes with it is not as it must be. */
const FAILED = 1;
const MISUSED = 2;

const LARGEST_CONCURRENCY = 64;

const program = new Command("candidates")
  .description("Candidates of the Candidate Management Service, from files.")
  .version(manifest.version)
  .showHelpAfterError()
  .exitOverride();

program
  .command("push")
  .description("push the candidates of a file; run it again to go on where it was interrupted")
  .argument("<file>", "NDJSON, a JSON array or CSV, in UTF-8; - for standard input")
  .addOption(new Option("--url <url>", "the address of the environment").env("CANDIDATES_URL"))
  .addOption(
    new Option("--key <key>", "the API key; the variable keeps it out of the shell's history").env(
      "CANDIDATES_API_KEY",
    ),
  )
  .addOption(new Option("--format <format>", "when the file's name does not tell it").choices(FORMATS))
  .option("--sync", "amend the candidates that are there already")
  .option("--dry-run", "validate only: nothing is sent, no address or key is needed")
  .option("--concurrency <number>", `how many at once, 1 to ${LARGEST_CONCURRENCY}`, parseConcurrency, 8)
  .option("--refused-file <file>", "where refused rows go (default: <file>.refused.ndjson)")
  .option("--journal <file>", "where it keeps what is done (default: <file>.push-journal)")
  .option("--columns <file>", "CSV: JSON that tells the member of each column whose heading does not")
  .option("--delimiter <character>", "CSV: what stands between cells; \\t is a tab", ",")
  .option("--null <text>", "CSV: the cell that means null; without it, none does")
  .action(async (file: string, options: PushOptions) => {
    process.exitCode = await pushFile(file, options);
  });

function parseConcurrency(argument: string): number {
  const concurrency = Number(argument);
  if (!Number.isInteger(concurrency) || concurrency < 1 || concurrency > LARGEST_CONCURRENCY) {
    throw new InvalidArgumentError(`Give a whole number from 1 to ${LARGEST_CONCURRENCY}.`);
  }
  return concurrency;
}

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? 0 : MISUSED;
  } else if (error instanceof UsageError || error instanceof CommandError) {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = error instanceof UsageError ? MISUSED : FAILED;
  } else {
    throw error;
  }
}
