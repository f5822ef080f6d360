import { startApiServer } from "./api-server.ts";
import { readAssembly } from "./assembly.ts";
import { type AssemblyLocation, AssemblySource } from "./assembly-source.ts";
import { useDynamoDb } from "./dynamodb/engine.ts";
import { type Engines, startEngines } from "./engines.ts";
import { openLogs } from "./logs.ts";
import { CleanUp } from "./machine/clean-up.ts";
import { type AwsIdentity, DataDirectory } from "./machine/data-directory.ts";
import { faultReport } from "./machine/fault-report.ts";
import { folderError } from "./machine/folder-error.ts";
import { requireJava } from "./machine/java.ts";
import type { LocalStackOptions } from "./options.ts";
import { RunningStack } from "./running-stack.ts";
import { StackState } from "./state.ts";
import { REGION } from "./template.ts";

/** A local stack that is ready for requests. */
export interface LocalStack {
  readonly baseUrl: string;
  readonly invokeUrl: string;
  readonly dynamoDbEndpoint: string;
  readonly queuesEndpoint: string;
  /** The file that contains the functions' log lines. */
  readonly functionsLog: string;
  /** The current cloud assembly. */
  readonly assembly: AssemblyLocation;
  /** The credentials and region with which AWS clients must sign to see this stack's data. */
  readonly aws: AwsIdentity & { readonly region: string };
  /**
   * Reads the assembly again (after a new synthesis, unless it was given), and runs it without interrupting callers.
   *
   * @throws CommandError if synthesis fails; the previous assembly keeps running
   */
  reload(): Promise<void>;
  /** Stops the stack after current work. */
  stop(): Promise<void>;
}

/**
 * Runs a stack of a cloud assembly on this machine.
 *
 * @throws CommandError with the remedy, if something is missing
 */
export async function startLocalStack(options: LocalStackOptions): Promise<LocalStack> {
  const cleanUp = new CleanUp();
  try {
    return await start({ ...options, onFault: faultReport(options) }, cleanUp);
  } catch (error) {
    await cleanUp.run();
    throw folderError(error, options.dataDir, "LOCAL_DATA_DIR") ?? error;
  }
}

type Options = LocalStackOptions & { onFault(error: unknown): void };

async function start(options: Options, cleanUp: CleanUp): Promise<LocalStack> {
  const { dataDir, dataVersion, reset = false, port = 0, onFault, onLog, extension } = options;
  const data = new DataDirectory(dataDir, {
    version: dataVersion,
    reset,
    otherFiles: extension?.files ?? [],
  });
  cleanUp.add(() => data.release());
  const identity = data.identity();
  // Listens first, so that a port in use is reported at once, not after seconds of synthesis.
  const api = await startApiServer({ port, onFault });
  cleanUp.add(() => api.stop());
  const { engines, source, location } = await prepare(options, data, identity, cleanUp);

  const state = new StackState(engines, identity, data, onFault);
  const logs = openLogs(data.folder("logs"), onFault, onLog);
  cleanUp.add(async () => {
    state.close();
    await logs.close();
  });
  const read = (from: AssemblyLocation) => readAssembly({ ...from, queuesEndpoint: engines.queues.endpoint });
  const stack = await RunningStack.start(
    { options, data, identity, engines, api, state, logs, cleanUp },
    read(location),
  );
  let current = location;
  return {
    baseUrl: api.url,
    invokeUrl: stack.invokeUrl,
    dynamoDbEndpoint: engines.dynamodb.endpoint,
    queuesEndpoint: engines.queues.endpoint,
    functionsLog: logs.functionsFile,
    aws: { ...identity, region: REGION },
    get assembly() {
      return current;
    },
    async reload() {
      const next = await source.next(() => {});
      try {
        await stack.replace(read(next));
      } catch (error) {
        source.discard(next);
        throw error;
      }
      source.discard(current);
      current = next;
    },
    stop: () => cleanUp.run(),
  };
}

/** Prepares the engines and the assembly in parallel, because both take seconds. */
async function prepare(
  options: Options,
  data: DataDirectory,
  identity: AwsIdentity,
  cleanUp: CleanUp,
): Promise<{ engines: Engines; source: AssemblySource; location: AssemblyLocation }> {
  const { dynamoDbEndpoint, cacheDirectory, onProgress = () => {}, onFault } = options;
  // Reports first whether DynamoDB or Java is missing.
  const dynamodb = dynamoDbEndpoint ? await useDynamoDb(dynamoDbEndpoint) : undefined;
  if (!dynamodb) await requireJava();
  // Before the engines, which a failure here would leave running.
  const source = new AssemblySource(options.assembly, data);
  const starting = startEngines({
    dynamodb,
    cacheDirectory,
    data,
    identity,
    cleanUp,
    onProgress,
    onFault,
  });
  // Waits for both even if one fails, so that a failed start leaves nothing running.
  const [engines, location] = await Promise.allSettled([starting, source.next(onProgress)]);
  if (engines.status === "rejected") throw engines.reason;
  if (location.status === "rejected") throw location.reason;
  return { engines: engines.value, source, location: location.value };
}
