/** The command behind `npm start`: runs the local stack until a signal stops it. */
import { program } from "commander";
import { UsageError } from "../../client/terminal/errors.ts";
import { exitCodeAfter } from "../../client/terminal/exit-code.ts";
import { reachLoopbackDirectly } from "../../client/terminal/loopback-proxy.ts";
import { oneSignal } from "../../client/terminal/one-signal.ts";
import { CommandError, StackEnded } from "../machine/command-error.ts";
import { banner, requestLine } from "./banner.ts";
import { type LocalService, PRACTICE, startLocalService } from "./local-service.ts";
import { mayReset } from "./may-reset.ts";
import { watchParent } from "./parent.ts";
import { reload } from "./reload.ts";
import { SOURCES, watchSources } from "./watch.ts";

interface Flags {
  readonly reset: boolean;
  readonly watch: boolean;
  readonly throttling: boolean;
  readonly practice: boolean;
}

reachLoopbackDirectly(process.env);

program
  .name("npm start --")
  .description("Runs the service on this machine, on real engines, until Ctrl-C.")
  .option("--reset", "delete all local data, then start; asks for confirmation at a terminal", false)
  .option("--watch", "apply changed source files without a restart, and list them", false)
  .option("--no-throttling", "ignore the stage's rate limit, for load tests")
  .option(
    "--practice",
    "retry deliveries for a minute instead of 76 hours, and set a failing endpoint inactive after 90 seconds instead of five days, to practise the runbook",
    false,
  )
  .addHelpText(
    "after",
    `
Environment variables:
  PORT               the port of the API (3000)
  LOCAL_DATA_DIR     the folder for all data (.local)
  DYNAMODB_ENDPOINT  the URL of a DynamoDB Local that is already running, instead of starting one`,
  )
  .showHelpAfterError("npm start -- --help lists the options.")
  .exitOverride()
  .action(run);

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = exitCodeAfter(error, (message) => complain(new CommandError(message)));
}

async function run(flags: Flags): Promise<void> {
  const { dataDir, ...addresses } = settingsFrom(process.env);
  if (flags.reset && !(await mayReset(dataDir))) {
    say("Nothing was deleted.");
    process.exitCode = 1;
    return;
  }
  let stack: LocalService | undefined;
  let stopping = false;
  const end = (cause: string) => {
    // A guard process ends the engine.
    complain(new CommandError(`Ended by ${cause} before it was ${stack ? "stopped" : "ready"}.`));
    process.exit(1);
  };
  const stop = async (cause: string) => {
    if (!stack) return end(cause);
    if (stopping) return;
    stopping = true;
    say("Stopping");
    await stack.stop();
    process.exit(0);
  };
  const interrupt = oneSignal((signal) => void stop(signal), end);
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, interrupt);
  // Nobody reads any more what is printed, as after `npm start | head`.
  for (const output of [process.stdout, process.stderr]) {
    output.on("error", () => void stop("the end of its output"));
  }
  // A shell that ends leaves its background jobs running. npm does not.
  if (process.env["npm_lifecycle_event"] !== undefined) watchParent(() => void stop("the end of npm"));

  try {
    const running = await startLocalService({
      dataDir,
      ...addresses,
      reset: flags.reset,
      throttling: flags.throttling,
      ...(flags.practice && { functionEnvironment: PRACTICE }),
      onProgress: say,
      onRequest: (record) => say(requestLine(record)),
      onFault(error) {
        complain(error);
        // The rest cannot work without it, and would only repeat that.
        if (error instanceof StackEnded) process.exit(1);
      },
    });
    stack = running;
    say(banner(running, flags));
    if (flags.watch) {
      const reporting = { say, complain, isStopping: () => stopping };
      await watchSources((changed) => reload(running, changed, reporting), complain);
      say(`Watching ${SOURCES.join(", ")}`);
    }
  } catch (error) {
    complain(error);
    process.exitCode = 1;
  }
}

function settingsFrom({ PORT, LOCAL_DATA_DIR, DYNAMODB_ENDPOINT }: NodeJS.ProcessEnv) {
  return {
    dataDir: LOCAL_DATA_DIR || ".local",
    port: portFrom(PORT),
    dynamoDbEndpoint: endpointFrom(DYNAMODB_ENDPOINT),
  };
}

function portFrom(given: string | undefined): number {
  const port = Number(given || 3000);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new UsageError(`PORT is ${given}. Set it to a number from 0 to 65535.`);
}

function endpointFrom(given: string | undefined): string | undefined {
  if (!given) return undefined;
  // The URL parser alone takes the name in localhost:8000 for a scheme.
  if (/^https?:\/\//i.test(given) && URL.canParse(given)) return given;
  throw new UsageError(`DYNAMODB_ENDPOINT is ${given}. Set it to a URL such as http://localhost:8000.`);
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** A CommandError is one sentence for the user. Any other error is a fault of the stack, so its trace is printed. */
function complain(error: unknown): void {
  const text =
    error instanceof CommandError ? error.message : error instanceof Error ? error.stack : String(error);
  process.stderr.write(`${text}\n`);
}
