import { join } from "node:path";
import { dynamoDbLocal } from "./dynamodb/download.ts";
import { type DynamoDbEngine, startDynamoDb } from "./dynamodb/engine.ts";
import { emptyWriteAheadLog, useWriteAheadLog } from "./dynamodb/write-ahead-log.ts";
import type { CleanUp } from "./machine/clean-up.ts";
import { StackEnded } from "./machine/command-error.ts";
import type { AwsIdentity, DataDirectory } from "./machine/data-directory.ts";
import { type SqsServer, startSqs } from "./sqs/server.ts";

/** The local replacements for AWS's storage and queues. */
export interface Engines {
  readonly dynamodb: DynamoDbEngine;
  readonly queues: SqsServer;
}

interface EnginesOptions {
  /** A DynamoDB Local that is already running; undefined to start one. */
  readonly dynamodb: DynamoDbEngine | undefined;
  /** The folder for a downloaded DynamoDB Local. */
  readonly cacheDirectory: string;
  readonly data: DataDirectory;
  readonly identity: AwsIdentity;
  readonly cleanUp: CleanUp;
  onProgress(message: string): void;
  onFault(error: unknown): void;
}

/** @throws CommandError if DynamoDB Local cannot be fetched or started */
export async function startEngines(options: EnginesOptions): Promise<Engines> {
  const { data, cleanUp, onFault } = options;
  const queues = await startSqs({ dataDirectory: data.folder("queues"), onFault });
  cleanUp.add(() => queues.stop());
  const dynamodb = options.dynamodb ?? (await startOwnDynamoDb(options));
  cleanUp.add(() => dynamodb.stop());
  return { dynamodb, queues };
}

async function startOwnDynamoDb({
  data,
  identity,
  cacheDirectory,
  cleanUp,
  onProgress,
  onFault,
}: EnginesOptions): Promise<DynamoDbEngine> {
  const program = await dynamoDbLocal({ cacheDirectory, onProgress });
  onProgress("Starting DynamoDB Local");
  const dataDirectory = data.folder("dynamodb");
  useWriteAheadLog(dataDirectory, identity.accessKeyId);
  const logFile = join(data.folder("logs"), "dynamodb-local.log");
  // Ends after the engine: the last to close the database empties its log once more, and removes it.
  cleanUp.add(emptyWriteAheadLog(dataDirectory, identity.accessKeyId, onFault));
  return startDynamoDb({
    program,
    dataDirectory,
    logFile,
    onProgress,
    onCrash: () =>
      onFault(new StackEnded(`DynamoDB Local has ended. Its data is kept: start again. See ${logFile}.`)),
  });
}
