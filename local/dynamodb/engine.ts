import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { CommandError } from "../command-error.ts";

/** A DynamoDB that is reached at `endpoint`. */
export interface DynamoDbEngine {
  readonly endpoint: string;
  stop(): Promise<void>;
}

interface EngineOptions {
  /** The folder that holds DynamoDBLocal.jar. */
  readonly program: string;
  /** Where the tables and their streams are kept, and where it writes a file of its own. */
  readonly dataDirectory: string;
  /** Keeps the tables and their streams in memory, until it is stopped. */
  readonly inMemory?: boolean;
  readonly logFile: string;
}

/** A slow machine starts it in some 10 s, a fast one in 2 s. */
const START_TIMEOUT_MS = 60_000;
const POLL_MS = 25;
/** Between finding a free port and listening on it, another process may take it. */
const MOST_ATTEMPTS = 3;

/**
 * Starts DynamoDB Local on a free port.
 *
 * It listens on every interface and has no option against that. It is started without `-sharedDb`, so that each
 * access key id has a database of its own and a stranger who reaches the port finds it empty.
 *
 * @throws CommandError when it ends at once
 */
export async function startDynamoDb(options: EngineOptions): Promise<DynamoDbEngine> {
  for (let attempt = 1; ; attempt++) {
    const engine = await start(await freePort(), options);
    if (engine) return engine;
    if (attempt === MOST_ATTEMPTS) {
      const lastWords = readFileSync(options.logFile, "utf8").trim().split("\n").slice(-3).join(" ");
      throw new CommandError(
        `DynamoDB Local ended as it started: see ${options.logFile}. It said last: ${lastWords}`,
      );
    }
  }
}

/**
 * A DynamoDB Local that somebody else started, and stops.
 *
 * @throws CommandError when nothing responds there
 */
export async function useDynamoDb(endpoint: string): Promise<DynamoDbEngine> {
  if (!(await responds(endpoint))) {
    throw new CommandError(
      `Nothing responds at DYNAMODB_ENDPOINT (${endpoint}): start DynamoDB Local there, or unset the variable.`,
    );
  }
  return { endpoint, stop: async () => {} };
}

async function start(port: number, options: EngineOptions): Promise<DynamoDbEngine | undefined> {
  const log = openSync(options.logFile, "a", 0o600);
  const guard = spawn(
    process.execPath,
    [
      join(import.meta.dirname, "process-guard.ts"),
      "java",
      // Two seconds to the first response: the quick compiler alone is enough for an engine of this size.
      "-XX:TieredStopAtLevel=1",
      `-Djava.library.path=${join(options.program, "DynamoDBLocal_lib")}`,
      "-jar",
      join(options.program, "DynamoDBLocal.jar"),
      "-port",
      String(port),
      ...(options.inMemory ? ["-inMemory"] : ["-dbPath", options.dataDirectory]),
      "-disableTelemetry",
    ],
    // Detached: Ctrl-C in the terminal must reach us alone, so that what is running can end first.
    // It writes a file of its own to the working folder.
    { stdio: ["pipe", log, log], detached: true, cwd: options.dataDirectory },
  );
  closeSync(log);
  const ended = once(guard, "exit");
  const endpoint = `http://127.0.0.1:${port}`;
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (guard.exitCode === null && Date.now() < deadline) {
    if (await responds(endpoint)) {
      return {
        endpoint,
        async stop() {
          guard.stdin?.end();
          await ended;
        },
      };
    }
    await delay(POLL_MS);
  }
  guard.stdin?.end();
  await ended;
  return undefined;
}

async function responds(endpoint: string): Promise<boolean> {
  try {
    // DynamoDB Local refuses an unsigned GET with a 400: a response all the same.
    const response = await fetch(endpoint, { signal: AbortSignal.timeout(2_000) });
    await response.arrayBuffer();
    return true;
  } catch {
    return false;
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "0.0.0.0");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new CommandError("No free port was found.");
  return address.port;
}
