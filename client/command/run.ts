import { Command, InvalidArgumentError, Option } from "commander";
import { EVENT_TYPES, type EventType } from "../../lib/contract/events.ts";
import { dateTime } from "../../lib/contract/values.ts";
import { type ListenOptions, listen } from "../listen/listen.ts";
import manifest from "../package.json" with { type: "json" };
import { FORMATS } from "../push/format.ts";
import { type PushOptions, pushFile } from "../push/push-file.ts";
import { UsageError } from "../terminal/errors.ts";
import { exitCodeAfter, SUCCEEDED } from "../terminal/exit-code.ts";
import { parsePath } from "../terminal/parse-path.ts";
import { printable } from "../terminal/printable.ts";
import type { Terminal } from "../terminal/terminal.ts";

const LARGEST_CONCURRENCY = 64;

const url = new Option("--url <url>", "the address of the environment").env("CANDIDATES_URL");
const key = new Option(
  "--key <key>",
  "the API key; set the variable to keep the key out of the shell history",
).env("CANDIDATES_API_KEY");

/**
 * Runs the command with the arguments that follow its name.
 *
 * @returns the exit code
 */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  let exitCode = SUCCEEDED;
  const program = new Command("candidates")
    .description("Pushes candidates to the Candidate Management Service, and forwards its events.")
    .version(manifest.version)
    .showHelpAfterError("Add --help to see the arguments and options.")
    .configureOutput({
      writeOut: (text) => terminal.stdout.write(text),
      writeErr: (text) => terminal.stderr.write(text),
    })
    .exitOverride();
  addPush(program, async (file, options) => {
    exitCode = await pushFile(file, options, terminal);
  });
  addListen(program, (options) => listen(options, terminal));

  try {
    await program.parseAsync(args, { from: "user" });
    return exitCode;
  } catch (error) {
    return exitCodeAfter(error, (message) => void terminal.stderr.write(`${printable(message)}\n`));
  }
}

function addPush(program: Command, action: (file: string, options: PushOptions) => Promise<void>): void {
  program
    .command("push")
    .description("push the candidates in a file; run the command again to resume an interrupted push")
    .argument("<file>", "NDJSON, a JSON array or CSV, in UTF-8; - for standard input")
    .addOption(url)
    .addOption(key)
    .addOption(
      new Option("--format <format>", "required if the file name has no known extension").choices(FORMATS),
    )
    .option("--update", "amend candidates that already exist and differ from their rows")
    .option(
      "--dry-run",
      "validate only: sends nothing, needs no address or key; refused rows go to <file>.dry-run.refused.ndjson",
    )
    .option(
      "--concurrency <number>",
      `the number of parallel requests, 1 to ${LARGEST_CONCURRENCY}`,
      parseConcurrency,
      4,
    )
    .option("--refused-file <file>", "the file for refused rows (default: <file>.refused.ndjson)", parsePath)
    .option("--journal <file>", "the file that records progress (default: <file>.push-journal)", parsePath)
    .option("--columns <file>", "CSV: a JSON object that maps column headings to members", parsePath)
    .option(
      "--delimiter <character>",
      'CSV: the delimiter between cells; \\t is a tab (default: ",")',
      parseDelimiter,
    )
    .option("--null <text>", "CSV: the cell text that means null; by default, none does", parseNull)
    .action(action);
}

function addListen(program: Command, action: (options: ListenOptions) => Promise<void>): void {
  program
    .command("listen")
    .description(
      "forward the organisation's events to a URL, as signed deliveries; run the command again to resume",
    )
    .requiredOption(
      "--forward-to <url>",
      "the URL of your receiver, such as http://localhost:4000/hooks",
      parseTarget,
    )
    .addOption(url)
    .addOption(key)
    .addOption(
      new Option("--secret <secret>", "the signing secret; by default, a new one that is printed").env(
        "CANDIDATES_SIGNING_SECRET",
      ),
    )
    .option("--types <types>", "only events of these types, separated by commas", parseTypes)
    .option(
      "--since <date-time>",
      "start with the events since this time, even if earlier runs forwarded them",
      parseSince,
    )
    .option("--json", "print a JSON object for each event")
    .action(action);
}

function parseTarget(argument: string): URL {
  if (!/^https?:/i.test(argument) || !URL.canParse(argument)) {
    // An InvalidArgumentError would repeat the argument, which may contain a password.
    throw new UsageError("--forward-to: give an http or https URL.");
  }
  const url = new URL(argument);
  if (!isDecodable(url.username) || !isDecodable(url.password)) {
    throw new UsageError("--forward-to: write % in a user name or password as %25.");
  }
  return url;
}

function isDecodable(part: string): boolean {
  try {
    decodeURIComponent(part);
    return true;
  } catch {
    return false;
  }
}

function parseTypes(argument: string): EventType[] {
  return argument.split(",").map((name) => {
    const type = EVENT_TYPES.find((each) => each === name.trim());
    if (!type) throw new InvalidArgumentError(`Give some of ${EVENT_TYPES.join(", ")}.`);
    return type;
  });
}

function parseSince(argument: string): string {
  if (!dateTime().safeParse(argument).success) {
    throw new InvalidArgumentError("Give an RFC 3339 date-time, such as 2026-11-21T09:00:00Z.");
  }
  return argument;
}

function parseDelimiter(argument: string): string {
  const delimiter = argument === "\\t" ? "\t" : argument;
  if (!/^[^"\r\n]$/u.test(delimiter)) {
    throw new InvalidArgumentError(
      'Give one character that is neither a quote nor a line break, such as ";", or "\\t" for a tab.',
    );
  }
  return delimiter;
}

/** An empty text would have no effect. */
function parseNull(argument: string): string {
  if (argument === "") {
    throw new InvalidArgumentError("Give a text: an empty cell is always an absent member.");
  }
  return argument;
}

function parseConcurrency(argument: string): number {
  const concurrency = Number(argument);
  if (!Number.isInteger(concurrency) || concurrency < 1 || concurrency > LARGEST_CONCURRENCY) {
    throw new InvalidArgumentError(`Give a whole number from 1 to ${LARGEST_CONCURRENCY}.`);
  }
  return concurrency;
}
