/**
 * The command behind `npm run rehearse`: deploys the development stack with `cdk deploy` to an AWS emulator
 * on this machine, holds what is deployed against the end-to-end tests, and destroys it.
 */

import { program } from "commander";
import { CommandError } from "../../local/machine/command-error.ts";
import { stopPrograms } from "../guarded-program.ts";
import { Cdk } from "./cdk.ts";
import { type Emulator, startEmulator } from "./emulator.ts";
import { emulatorProgram } from "./emulator-program.ts";
import { type Judgement, judge, runEndToEndTests } from "./end-to-end-tests.ts";
import { issueKey } from "./keys.ts";
import { limits } from "./limits.ts";
import { endToEndTestReport, limitsReport } from "./report.ts";
import { runScript } from "./script.ts";
import { Steps } from "./steps.ts";
import { aWorkplace } from "./workplace.ts";

const PROGRESS_EVERY_TESTS = 50;

program
  .name("npm run rehearse --")
  .description("Deploys the development stack to an AWS emulator on this machine, tests it, and destroys it.")
  .parse();

const startedAt = performance.now();
const workplace = aWorkplace();
const steps = new Steps(
  [
    "Get the emulator",
    "Start the emulator, empty",
    "cdk synth",
    "cdk bootstrap",
    "cdk deploy",
    "Issue two keys",
    "End-to-end tests",
    "Trigger an alarm and clear it",
    "cdk destroy",
    "Check that it is gone",
    "Stop the emulator",
  ],
  say,
);

let interrupted = false;
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.once(signal, async () => {
    interrupted = true;
    await stopPrograms();
    workplace.remove();
    process.stderr.write(`Ended by ${signal}; nothing is left running.\n`);
    process.exit(1);
  });
}

let emulator: Emulator | undefined;
let judgement: Judgement | undefined;
let complete = false;
try {
  const ministack = await steps.run("Get the emulator", () => emulatorProgram(say));
  const started = await steps.run("Start the emulator, empty", () => startEmulator(ministack, workplace));
  emulator = started;
  judgement = await rehearse(started);
  await steps.run("Stop the emulator", () => started.stop());
  complete = true;
} catch (error) {
  if (!interrupted) complain(error);
} finally {
  await stopPrograms();
}
if (!interrupted) conclude();

function conclude(): void {
  say(`\nRehearsed in ${((performance.now() - startedAt) / 1000).toFixed(0)} s:\n${steps.report()}\n`);
  if (judgement) say(`${endToEndTestReport(judgement)}\n`);
  if (emulator) say(limitsReport(limits, judgement?.limited ?? new Map()));
  if (complete && judgement?.failed.length === 0) {
    workplace.remove();
  } else {
    say(`\nSome steps did not work as expected. The logs are in ${workplace.path}`);
    process.exitCode = 1;
  }
}

async function rehearse(emulator: Emulator): Promise<Judgement> {
  const cdk = new Cdk(emulator, workplace);
  await steps.run("cdk synth", () => cdk.synth());
  await steps.run("cdk bootstrap", () => cdk.bootstrap());
  const baseUrl = await steps.run("cdk deploy", () => cdk.deploy());
  const organisations = await steps.run(
    "Issue two keys",
    async () =>
      [await issueKey(emulator, "acme-talent"), await issueKey(emulator, "globex-careers")] as const,
  );
  let told = 0;
  const results = await steps.run("End-to-end tests", () =>
    runEndToEndTests({
      emulator,
      workplace,
      baseUrl,
      organisations,
      onProgress(tests) {
        if (tests < told + PROGRESS_EVERY_TESTS) return;
        told = tests;
        say(`  ${tests} tests`);
      },
    }),
  );
  await steps.run("Trigger an alarm and clear it", () =>
    rehearseAlarm(emulator, baseUrl, organisations[0].apiKey),
  );
  await steps.run("cdk destroy", () => cdk.destroy());
  await steps.run("Check that it is gone", () => seeThatNothingResponds(emulator));
  return judge(results, limits);
}

async function rehearseAlarm(emulator: Emulator, baseUrl: string, apiKey: string) {
  await runScript("tools/rehearsal/alarm.ts", [baseUrl, apiKey], {
    env: emulator.clientEnvironment,
    problem: "The alarm, or the steps that clear it, did not behave as the runbook says.",
  });
}

/** The platform's command says that the function is gone: if it fails otherwise, nothing is known of the stack. */
async function seeThatNothingResponds(emulator: Emulator): Promise<void> {
  const failure = await issueKey(emulator, "left-behind").then(
    () => "The destroyed stack still issues keys.",
    (error: Error) => error.message,
  );
  if (!failure.includes("There is no function")) throw new CommandError(failure);
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** A problem is one sentence for the reader; anything else is our own fault, and its trace helps to find it. */
function complain(error: unknown): void {
  const text =
    error instanceof CommandError ? error.message : error instanceof Error ? error.stack : String(error);
  process.stderr.write(`${text}\n`);
}
