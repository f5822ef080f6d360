import { rmSync } from "node:fs";
import { join } from "node:path";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBStreamsClient } from "@aws-sdk/client-dynamodb-streams";
import { SQSClient } from "@aws-sdk/client-sqs";
import type { RequestRecord } from "./api-gateway/gateway.ts";
import { type Assembly, readAssembly } from "./assembly.ts";
import { DeveloperConsole } from "./console/developer-console.ts";
import {
  type Credentials,
  issueKeys,
  keptOrganisations,
  type Organisation,
  writeCredentials,
} from "./credentials.ts";
import { type AwsIdentity, DataDirectory } from "./data-directory.ts";
import { Deployment } from "./deployment.ts";
import { dynamoDbLocal } from "./dynamodb/download.ts";
import { type DynamoDbEngine, startDynamoDb, useDynamoDb } from "./dynamodb/engine.ts";
import { deployTable } from "./dynamodb/tables.ts";
import { Checkpoints } from "./event-sources/checkpoints.ts";
import { openFunctionLog, openLog } from "./function-log.ts";
import { startHttpServer } from "./http-server.ts";
import { answerAwsClient } from "./invoke-api.ts";
import { requireJava } from "./java.ts";
import type { AwsCall } from "./lambda/aws-calls.ts";
import type { Invocation } from "./lambda/local-function.ts";
import { folderProblem } from "./problem.ts";
import { deployQueues } from "./queues.ts";
import { SecretsManager } from "./secrets-manager.ts";
import { type SqsServer, startSqs } from "./sqs/server.ts";
import { synthesise } from "./synthesis.ts";
import { REGION } from "./template.ts";

/** The stack that runs on this machine: the development environment's. */
const STACK = "CandidateService-development";

/** A stack of a cloud assembly. */
interface AssemblyLocation {
  readonly directory: string;
  readonly stackName: string;
}

export interface LocalStackOptions {
  /** Where everything is kept between two starts. One local stack at a time uses it. */
  readonly dataDir: string;
  /** The port of the API; 0, the default, takes any free one. */
  readonly port?: number;
  /** Begin empty. */
  readonly reset?: boolean;
  /** Whether the stage's rate limit applies; true by default. */
  readonly throttling?: boolean;
  /** A DynamoDB Local that is running already, in place of one of our own. */
  readonly dynamoDbEndpoint?: string | undefined;
  /** Variables for every function, over those that the template gives it. */
  readonly functionEnvironment?: Readonly<Record<string, string>>;
  /** A cloud assembly that is synthesised already, in place of the project's own. */
  readonly assembly?: AssemblyLocation;
  /** Told what takes time while it starts. */
  readonly onProgress?: (message: string) => void;
  /** Told each line that a function writes. */
  readonly onLog?: (functionName: string, line: string) => void;
  /** Told each call to AWS that a function makes. */
  readonly onAwsCall?: (functionName: string, call: AwsCall) => void;
  /** Told each invocation of a function that has ended. */
  readonly onInvocation?: (invocation: Invocation) => void;
  /** Told each request that the API has answered. */
  readonly onRequest?: (record: RequestRecord) => void;
  /** Told of faults of the local stack itself. */
  readonly onFault?: (error: unknown) => void;
}

/** A local stack that is ready for requests. */
export interface LocalStack extends Credentials {
  readonly organisations: Organisation[];
  /** The file that holds the addresses and keys for programs. */
  readonly credentialsFile: string;
  readonly dynamoDbEndpoint: string;
  readonly queuesEndpoint: string;
  /** The cloud assembly that runs. */
  readonly assembly: AssemblyLocation;
  /** What AWS clients must sign with to see this stack's data. */
  readonly aws: AwsIdentity & { readonly region: string };
  /**
   * Synthesises again (or reads the given assembly again) and runs what came of it, without a pause for callers.
   *
   * @throws LocalStackProblem when it does not synthesise; what ran before runs on
   */
  reload(): Promise<void>;
  /** Ends everything, after what is being worked on. */
  stop(): Promise<void>;
}

/**
 * Synthesises the development stack and runs it on this machine.
 *
 * @throws LocalStackProblem when something is missing, with what to do about it
 */
export async function startLocalStack(options: LocalStackOptions): Promise<LocalStack> {
  const told = (error: unknown) => folderProblem(error, options.dataDir, "LOCAL_DATA_DIR") ?? error;
  try {
    return await startIn(options.dataDir, {
      ...options,
      onFault: (error) => options.onFault?.(told(error)),
    });
  } catch (error) {
    throw told(error);
  }
}

async function startIn(dataDir: string, options: LocalStackOptions): Promise<LocalStack> {
  const data = new DataDirectory(dataDir, { reset: options.reset ?? false });
  const cleanUp: (() => void | Promise<void>)[] = [() => data.release()];
  let undone: Promise<void> | undefined;
  const undo = () => {
    undone ??= (async () => {
      for (const step of cleanUp.reverse()) await step();
    })();
    return undone;
  };
  try {
    return await start(options, data, cleanUp, undo);
  } catch (error) {
    await undo();
    throw error;
  }
}

async function start(
  options: LocalStackOptions,
  data: DataDirectory,
  cleanUp: (() => void | Promise<void>)[],
  undo: () => Promise<void>,
): Promise<LocalStack> {
  const { onProgress = () => {}, onFault = () => {} } = options;
  const identity = data.identity();

  // Listening comes first: a port in use is told at once, not after seconds of synthesis.
  let deployment: Deployment | undefined;
  let developerConsole: DeveloperConsole | undefined;
  const ready = Promise.withResolvers<void>();
  ready.promise.catch(() => {});
  const api = await startHttpServer({
    port: options.port ?? 0,
    onFault,
    malformedBody: () => String(deployment?.gateway?.malformed().body ?? ""),
    async answer(message, response) {
      await ready.promise;
      if (developerConsole?.owns(message)) return developerConsole.answer(message, response);
      const gateway = deployment?.gateway;
      if (gateway) await gateway.handle(message, response);
      else response.writeHead(404).end();
    },
  });
  cleanUp.push(async () => {
    ready.reject(new Error("The local stack did not start."));
    await api.stop();
  });

  // What may be missing is asked for first too.
  const given = options.dynamoDbEndpoint ? await useDynamoDb(options.dynamoDbEndpoint) : undefined;
  if (!given) await requireJava();
  const engines = startEngines(given, data, { onProgress, onFault }, cleanUp);
  // What earlier starts synthesised is of no use any more.
  rmSync(data.folder("assemblies"), { recursive: true });
  const synthesis = options.assembly ?? synthesiseInto(data, onProgress);
  // Both are waited for, whatever fails: what a failed start leaves running would be left over.
  const [started, synthesised] = await Promise.allSettled([engines, synthesis]);
  if (started.status === "rejected") throw started.reason;
  if (synthesised.status === "rejected") throw synthesised.reason;
  const { dynamodb, queues } = started.value;
  let current = synthesised.value;

  const client = { region: REGION, credentials: identity };
  const dynamoDbClient = new DynamoDBClient({ ...client, endpoint: dynamodb.endpoint });
  const streams = new DynamoDBStreamsClient({ ...client, endpoint: dynamodb.endpoint });
  const sqs = new SQSClient({ ...client, endpoint: queues.endpoint });
  const secrets = new SecretsManager(data.file("secrets"));
  const checkpoints = new Checkpoints(data.file("checkpoints"));
  const log = openFunctionLog(join(data.folder("logs"), "functions.log"), onFault, options.onLog);
  const accessLog = openLog(join(data.folder("logs"), "access.log"), onFault);
  const background = new Set<Promise<unknown>>();
  cleanUp.push(async () => {
    for (const each of [dynamoDbClient, streams, sqs]) each.destroy();
    await log.close();
    await accessLog.close();
  });

  const aws = await startHttpServer({
    port: 0,
    onFault,
    answer: (message, response) =>
      answerAwsClient(
        {
          functions: deployment?.functions ?? new Map(),
          secrets,
          inBackground(work) {
            background.add(work);
            void work.finally(() => background.delete(work));
          },
        },
        message,
        response,
      ),
  });

  const environment = {
    AWS_REGION: REGION,
    AWS_DEFAULT_REGION: REGION,
    AWS_ACCESS_KEY_ID: identity.accessKeyId,
    AWS_SECRET_ACCESS_KEY: identity.secretAccessKey,
    AWS_ENDPOINT_URL_DYNAMODB: dynamodb.endpoint,
    AWS_ENDPOINT_URL_DYNAMODB_STREAMS: dynamodb.endpoint,
    AWS_ENDPOINT_URL_SQS: queues.endpoint,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: aws.url,
    AWS_ENDPOINT_URL_LAMBDA: aws.url,
    // A developer's receivers are on this machine.
    ALLOWED_WEBHOOK_NETWORKS: "127.0.0.0/8,::1/128",
    ...options.functionEnvironment,
  };

  /** Makes the tables, queues and secrets be as the assembly says. Answers whether a table is new. */
  const deployState = async (assembly: Assembly): Promise<boolean> => {
    const created = await Promise.all(assembly.tables.map((table) => deployTable(dynamoDbClient, table)));
    await deployQueues(sqs, assembly.queues);
    for (const secret of assembly.secrets) secrets.deploy(secret);
    return created.includes(true);
  };
  const read = (location: AssemblyLocation) => readAssembly({ ...location, queuesUrl: queues.endpoint });
  const deploy = (assembly: Assembly) =>
    new Deployment(assembly, {
      environment,
      throttling: options.throttling ?? true,
      eventSources: {
        dynamodb: dynamoDbClient,
        streams,
        sqs,
        queuesUrl: queues.endpoint,
        checkpoints,
        onStreamRecord: (record) => developerConsole?.changed(record),
        onFault,
      },
      onLog: (name, line) => log.write(name, line),
      onAwsCall: options.onAwsCall,
      onInvocation: options.onInvocation,
      onSentRequest: (request) => developerConsole?.sent(request),
      onRequest: options.onRequest ?? (() => {}),
      onAccess: (line) => accessLog.write(line),
    });

  cleanUp.push(async () => {
    developerConsole?.close();
    // Callers first, then what they set going; the AWS endpoints last, for functions use them to the end.
    await api.stop();
    await deployment?.stopEventSources();
    await Promise.allSettled(background);
    await deployment?.close();
    await aws.stop();
  });
  const assembly = read(current);
  const empty = await deployState(assembly);
  deployment = deploy(assembly);
  const kept = empty ? undefined : keptOrganisations(data.file("credentials"));
  const organisations = [...(kept ?? (await issueKeys(deployment.functions.values())))];
  const credentials: Credentials = { baseUrl: api.url, invokeUrl: aws.url, organisations };
  writeCredentials(data.file("credentials"), credentials);
  developerConsole = new DeveloperConsole({
    baseUrl: api.url,
    dynamodb: dynamoDbClient,
    tableName: assembly.tables[0]?.name,
    secretsFile: data.file("console"),
    organisations,
    functions: () => deployment?.functions.values() ?? [],
    onFault,
  });
  deployment.startEventSources();
  ready.resolve();

  return {
    ...credentials,
    credentialsFile: data.file("credentials"),
    dynamoDbEndpoint: dynamodb.endpoint,
    queuesEndpoint: queues.endpoint,
    aws: { ...identity, region: REGION },
    get assembly() {
      return current;
    },
    async reload() {
      const next = options.assembly ?? (await synthesiseInto(data, () => {}));
      const assembly = read(next);
      await deployState(assembly);
      const previous = deployment;
      const replacement = deploy(assembly);
      // One poller a source at a time: two would deliver the same records.
      await previous?.stopEventSources();
      deployment = replacement;
      replacement.startEventSources();
      await previous?.close();
      if (!options.assembly) rmSync(current.directory, { recursive: true, force: true });
      current = next;
    },
    stop: undo,
  };
}

interface Engines {
  readonly dynamodb: DynamoDbEngine;
  readonly queues: SqsServer;
}

async function startEngines(
  given: DynamoDbEngine | undefined,
  data: DataDirectory,
  { onProgress, onFault }: Required<Pick<LocalStackOptions, "onProgress" | "onFault">>,
  cleanUp: (() => void | Promise<void>)[],
): Promise<Engines> {
  const queues = await startSqs({ dataDirectory: data.folder("queues"), onFault });
  cleanUp.push(() => queues.stop());
  const dynamodb = given ?? (await startOwnDynamoDb(data, onProgress));
  cleanUp.push(() => dynamodb.stop());
  return { dynamodb, queues };
}

async function startOwnDynamoDb(
  data: DataDirectory,
  onProgress: (message: string) => void,
): Promise<DynamoDbEngine> {
  const program = await dynamoDbLocal({ onProgress });
  onProgress("Starting DynamoDB Local");
  return startDynamoDb({
    program,
    dataDirectory: data.folder("dynamodb"),
    logFile: join(data.folder("logs"), "dynamodb-local.log"),
  });
}

async function synthesiseInto(
  data: DataDirectory,
  onProgress: (message: string) => void,
): Promise<AssemblyLocation> {
  onProgress("Synthesising the development stack");
  const directory = join(data.folder("assemblies"), String(Date.now()));
  await synthesise(directory, STACK);
  return { directory, stackName: STACK };
}
