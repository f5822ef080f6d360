import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { CommandError } from "../machine/command-error.ts";
import { freePort } from "../machine/free-port.ts";
import { guarded } from "../machine/process-guard.ts";
import { explainingSlowness } from "../machine/slow-step.ts";

/** A DynamoDB that is reached at `endpoint`. */
export interface DynamoDbEngine {
  readonly endpoint: string;
  stop(): Promise<void>;
}

interface EngineOptions {
  /** The folder that contains DynamoDBLocal.jar. */
  readonly program: string;
  /** The folder for tables and streams. */
  readonly dataDirectory: string;
  /** Keeps tables and streams in memory until it stops. */
  readonly inMemory?: boolean;
  readonly logFile: string;
  /** Called if the start takes long. */
  readonly onProgress?: (message: string) => void;
  /** Called if the engine ends after its start without having been stopped. */
  readonly onCrash?: () => void;
}

const JVM_OPTIONS = [
  // Start-up takes two seconds: the quick compiler is sufficient for this engine.
  "-XX:TieredStopAtLevel=1",
  // By default it begins with a heap of 1/64 of the machine's memory, and may take a quarter of it.
  "-XX:+UseSerialGC",
  "-Xms32m",
  "-Xmx512m",
];

const ENVIRONMENT = {
  // Otherwise each start sends the versions of Java and of the system to AWS, and waits for its response: the option
  // -disableTelemetry of version 1.25.1 has no effect.
  DDB_LOCAL_TELEMETRY: "0",
  // Java reads paths as the locale says. In a locale without UTF-8, or one that is not installed, it finds no folder
  // whose path is not ASCII.
  LC_ALL: "C.UTF-8",
};

/** A slow machine starts it in about 10 s, a fast one in 2 s. */
const START_TIMEOUT_MS = 60_000;
const POLL_MS = 25;
/** Another process may take a free port before the engine listens on it. */
const MOST_ATTEMPTS = 3;
/** The exit code of a shell whose command got SIGKILL. */
const KILLED = 137;
const SHORT_OF_MEMORY =
  "The local stack needs 1.5 GB of free memory: end other programs, then start again, or set DYNAMODB_ENDPOINT to a DynamoDB Local that is running.";

/**
 * Starts DynamoDB Local on a free port.
 *
 * It listens on every interface, which no option prevents. It is started without `-sharedDb`, so that each access key
 * id has its own database, and strangers who reach the port see an empty one.
 *
 * @throws CommandError if it ends at once, or does not respond within a minute
 */
export async function startDynamoDb(options: EngineOptions): Promise<DynamoDbEngine> {
  for (let attempt = 1; ; attempt++) {
    const engine = await explainingSlowness(start(await freePort("0.0.0.0"), options), () =>
      options.onProgress?.(
        "DynamoDB Local is still starting, which takes long if memory is short (1.5 GB have to be free). It has a minute.",
      ),
    );
    if (typeof engine === "object") return engine;
    if (engine === KILLED) {
      throw new CommandError(
        `DynamoDB Local was killed during its start, as the system does when memory is short. ${SHORT_OF_MEMORY}`,
      );
    }
    if (attempt === MOST_ATTEMPTS) {
      const lastWords = readFileSync(options.logFile, "utf8").trim().split("\n").slice(-3).join(" ");
      throw new CommandError(
        `DynamoDB Local ended during its start. See ${options.logFile}. Its last output: ${lastWords}`,
      );
    }
  }
}

/**
 * A DynamoDB Local that is started and stopped externally.
 *
 * @throws CommandError if nothing responds there
 */
export async function useDynamoDb(endpoint: string): Promise<DynamoDbEngine> {
  if (!(await responds(endpoint))) {
    throw new CommandError(
      `Nothing responds at DYNAMODB_ENDPOINT (${endpoint}): start DynamoDB Local there, or unset the variable.`,
    );
  }
  return { endpoint, stop: async () => {} };
}

/** The engine, or its exit code if it has ended. */
async function start(port: number, options: EngineOptions): Promise<DynamoDbEngine | number> {
  const log = openSync(options.logFile, "a", 0o600);
  const guard = await started(
    guarded("java", [
      ...JVM_OPTIONS,
      `-Djava.library.path=${join(options.program, "DynamoDBLocal_lib")}`,
      "-jar",
      join(options.program, "DynamoDBLocal.jar"),
      "-port",
      String(port),
      ...(options.inMemory ? ["-inMemory"] : ["-dbPath", options.dataDirectory]),
    ]),
    // Detached, so that Ctrl-C in the terminal reaches only this process, and current work can finish first.
    {
      stdio: ["pipe", log, log],
      detached: true,
      // Java writes the report of a crash to its working folder.
      cwd: options.dataDirectory,
      env: { ...process.env, ...ENVIRONMENT },
    },
  ).finally(() => closeSync(log));
  const ended = once(guard, "exit");
  const endpoint = `http://127.0.0.1:${port}`;
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (guard.exitCode === null && Date.now() < deadline) {
    if (await responds(endpoint)) {
      let isStopping = false;
      void ended.then(() => {
        if (!isStopping) options.onCrash?.();
      });
      return {
        endpoint,
        async stop() {
          isStopping = true;
          guard.stdin?.end();
          await ended;
        },
      };
    }
    await delay(POLL_MS);
  }
  if (guard.exitCode !== null) return guard.exitCode;
  guard.stdin?.end();
  await ended;
  throw new CommandError(
    `DynamoDB Local did not respond within ${START_TIMEOUT_MS / 1_000} s of its start. ${SHORT_OF_MEMORY} See ${options.logFile}.`,
  );
}

/** @throws CommandError if the system starts no further process */
async function started(
  [program, args]: readonly [program: string, args: string[]],
  options: SpawnOptions,
): Promise<ChildProcess> {
  try {
    const child = spawn(program, args, options);
    await once(child, "spawn");
    return child;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandError(
      `DynamoDB Local could not be started: ${reason}. Correct this, then start again.`,
      { cause: error },
    );
  }
}

async function responds(endpoint: string): Promise<boolean> {
  try {
    // DynamoDB Local refuses an unsigned GET with a 400, which shows that it runs.
    const response = await fetch(endpoint, { signal: AbortSignal.timeout(2_000) });
    await response.arrayBuffer();
    return true;
  } catch {
    return false;
  }
}
