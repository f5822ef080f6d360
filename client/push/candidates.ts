import { Command, CommanderError, InvalidArgumentError, Option } from "commander";
import manifest from "../package.json" with { type: "json" };
import { CommandError, UsageError } from "./errors.ts";
import { FORMATS } from "./formats.ts";
import { type PushOptions, pushFile } from "./push-file.ts";

/** Exit codes: the push failed; or the command, or a file given to it, is invalid. */
const FAILED = 1;
const MISUSED = 2;

const LARGEST_CONCURRENCY = 64;

const program = new Command("candidates")
  .description("Pushes candidates from files to the Candidate Management Service.")
  .version(manifest.version)
  .showHelpAfterError()
  .exitOverride();

program
  .command("push")
  .description("push the candidates in a file; run the command again to resume an interrupted push")
  .argument("<file>", "NDJSON, a JSON array or CSV, in UTF-8; - for standard input")
  .addOption(new Option("--url <url>", "the address of the environment").env("CANDIDATES_URL"))
  .addOption(
    new Option("--key <key>", "the API key; set the variable to keep the key out of the shell history").env(
      "CANDIDATES_API_KEY",
    ),
  )
  .addOption(
    new Option("--format <format>", "required if the file name has no known extension").choices(FORMATS),
  )
  .option("--sync", "amend candidates that already exist")
  .option("--dry-run", "validate only: sends nothing, needs no address or key")
  .option(
    "--concurrency <number>",
    `the number of parallel requests, 1 to ${LARGEST_CONCURRENCY}`,
    parseConcurrency,
    8,
  )
  .option("--refused-file <file>", "the file for refused rows (default: <file>.refused.ndjson)")
  .option("--journal <file>", "the file that records progress (default: <file>.push-journal)")
  .option("--columns <file>", "CSV: a JSON object that maps column headings to members")
  .option("--delimiter <character>", "CSV: the delimiter between cells; \\t is a tab", ",")
  .option("--null <text>", "CSV: the cell text that means null; by default, none does")
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
