/** The command behind `npm start`: runs the local stack until a signal stops it. */
import { parseArgs } from "node:util";
import { CommandError } from "../command-error.ts";
import type { LocalStack } from "../local-stack.ts";
import { banner, requestLine } from "./banner.ts";
import { type LocalService, startLocalService } from "./local-service.ts";
import { watchSources } from "./watch.ts";

const HELP = `npm start -- [--reset] [--watch] [--no-throttling]

  --reset          begin empty: delete what earlier starts have kept
  --watch          pick up changed sources without a restart
  --no-throttling  serve requests beyond the stage's rate limit, for tests under load

  PORT               where the API listens (3000)
  LOCAL_DATA_DIR     where everything is kept (.local)
  DYNAMODB_ENDPOINT  a DynamoDB Local that is running already, in place of one of our own
`;

const { values: flags } = parseArgs({
  options: {
    reset: { type: "boolean", default: false },
    watch: { type: "boolean", default: false },
    "no-throttling": { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
if (flags.help) {
  say(HELP);
} else {
  await run();
}

async function run(): Promise<void> {
  let stack: LocalService | undefined;
  let stopping = false;
  const stop = async (signal: NodeJS.Signals) => {
    if (!stack || stopping) {
      // The engine is ended by its guard.
      complain(new CommandError(`Ended by ${signal} before ${stack ? "all was stopped" : "it was ready"}.`));
      process.exit(1);
    }
    stopping = true;
    say("Stopping");
    await stack.stop();
    process.exit(0);
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => void stop(signal));

  try {
    const running = await startLocalService({
      dataDir: process.env["LOCAL_DATA_DIR"] || ".local",
      port: portFrom(process.env["PORT"]),
      reset: flags.reset,
      throttling: !flags["no-throttling"],
      dynamoDbEndpoint: process.env["DYNAMODB_ENDPOINT"] || undefined,
      onProgress: say,
      onRequest: (record) => say(requestLine(record)),
      onFault: complain,
    });
    stack = running;
    say(banner(running));
    if (flags.watch) watchSources(() => reload(running));
  } catch (error) {
    complain(error);
    process.exitCode = 1;
  }
}

async function reload(stack: LocalStack): Promise<void> {
  try {
    const startedAt = performance.now();
    await stack.reload();
    say(`Reloaded in ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
  } catch (error) {
    complain(error);
  }
}

function portFrom(given: string | undefined): number {
  const port = Number(given || 3000);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new CommandError(`PORT is ${given}: set it to a number from 0 to 65535.`);
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
