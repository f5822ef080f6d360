/**
 * The command behind `npm run schemathesis`: sends made-up requests to the service on this machine until so many
 * were answered, goes on where an earlier run was stopped, and ends at the first portion that finds something.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import * as z from "zod";
import { CommandError } from "../../local/machine/command-error.ts";
import { stopPrograms } from "../rehearsal/program.ts";
import { runPortion } from "./campaign.ts";

const HELP = `npm run schemathesis -- [--requests <count>] [--restart]

  --requests  how many requests in all, earlier runs included (20000)
  --restart   begin again with the first portion
`;

const FOLDER = resolve(".schemathesis");
const PROGRESS = join(FOLDER, "progress.json");

/** The portions that have passed, and how many requests they took. */
const Progress = z.object({ portions: z.int(), requests: z.int() });
type Progress = z.infer<typeof Progress>;

const { values: flags } = parseArgs({
  options: {
    requests: { type: "string", default: "20000" },
    restart: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
if (flags.help) {
  say(HELP);
} else {
  process.once("SIGINT", () => void stopPrograms().then(() => process.exit(130)));
  try {
    await run(Number(flags.requests));
  } catch (error) {
    process.stderr.write(
      `${error instanceof CommandError ? error.message : error instanceof Error ? error.stack : String(error)}\n`,
    );
    process.exitCode = 1;
  }
}

async function run(wanted: number): Promise<void> {
  if (flags.restart) rmSync(FOLDER, { recursive: true, force: true });
  let progress = kept();
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
  say(`${progress.requests} requests: no 5xx, and no disagreement with docs/openapi.json.`);
}

function kept(): Progress {
  try {
    return Progress.parse(JSON.parse(readFileSync(PROGRESS, "utf8")));
  } catch {
    return { portions: 0, requests: 0 };
  }
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
