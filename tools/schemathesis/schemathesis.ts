/**
 * `npm run schemathesis`: sends generated requests to the service on this machine until so many have a response,
 * continues where an earlier run was stopped, and ends at the first portion that finds something.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { program } from "commander";
import * as z from "zod";
import { CommandError } from "../../local/machine/command-error.ts";
import { stopPrograms } from "../guarded-program.ts";
import { commitUnderTest, record } from "../reliability/recording.ts";
import { wholeNumber } from "../whole-number.ts";
import { runPortion } from "./campaign.ts";

const FOLDER = resolve(".schemathesis");
const PROGRESS = join(FOLDER, "progress.json");

/** The portions that have passed, and how many requests they took. */
const Progress = z.object({ portions: z.int(), requests: z.int() });
type Progress = z.infer<typeof Progress>;

interface Options {
  readonly requests: number;
  readonly restart: boolean;
  readonly record: boolean;
}

program
  .name("npm run schemathesis --")
  .description(
    "Sends generated requests to the service on this machine, and goes on where an earlier run ended.",
  )
  .option("--requests <number>", "the number of requests in all, earlier runs included", wholeNumber, 20_000)
  .option("--restart", "begin again with the first portion", false)
  .option("--record", "record the results of this run in docs/reliability.md", false)
  .action(run);
process.once("SIGINT", () => void stopPrograms().then(() => process.exit(130)));
try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(
    `${error instanceof CommandError ? error.message : error instanceof Error ? error.stack : String(error)}\n`,
  );
  process.exitCode = 1;
}

async function run({ requests: wanted, restart, record: isRecorded }: Options): Promise<void> {
  const commit = isRecorded ? commitUnderTest() : undefined;
  if (restart) rmSync(FOLDER, { recursive: true, force: true });
  const earlier = kept();
  let progress = earlier;
  while (progress.requests < wanted) {
    const portion = progress.portions + 1;
    const { passed, requests, output } = await runPortion(portion, { folder: FOLDER, onProgress: say });
    if (!passed) {
      say(output);
      say(`Portion ${portion} found something. The next run begins with it.`);
      process.exitCode = 1;
      return;
    }
    progress = { portions: portion, requests: progress.requests + requests };
    mkdirSync(FOLDER, { recursive: true });
    writeFileSync(PROGRESS, JSON.stringify(progress));
    say(`Portion ${portion}: ${requests} requests, ${progress.requests} of ${wanted} in all`);
  }
  // Earlier runs may have been on other commits.
  const requests = progress.requests - earlier.requests;
  if (commit !== undefined && requests > 0) record("generatedRequests", { commit, requests });
  say(`${progress.requests} requests: no 5xx, and no disagreement with docs/openapi.json.`);
}

function kept(): Progress {
  if (!existsSync(PROGRESS)) return { portions: 0, requests: 0 };
  return Progress.parse(JSON.parse(readFileSync(PROGRESS, "utf8")));
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
