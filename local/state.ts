import { join } from "node:path";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBStreamsClient } from "@aws-sdk/client-dynamodb-streams";
import { SQSClient } from "@aws-sdk/client-sqs";
import type { Assembly } from "./assembly.ts";
import { deployTable } from "./dynamodb/tables.ts";
import type { Engines } from "./engines.ts";
import { Checkpoints } from "./event-sources/checkpoints.ts";
import type { AwsIdentity, DataDirectory } from "./machine/data-directory.ts";
import { SecretsManager } from "./secrets-manager.ts";
import { deployQueues } from "./sqs/queue-definitions.ts";
import { REGION } from "./template.ts";

/** The developer's own settings may ask for such endpoints, which are AWS's alone. */
const PLAIN_ENDPOINTS = { useFipsEndpoint: false, useDualstackEndpoint: false };

/** The state that outlives deployments and restarts: tables, queues, secrets, and the position in each stream. */
export class StackState {
  readonly dynamodb: DynamoDBClient;
  readonly streams: DynamoDBStreamsClient;
  readonly sqs: SQSClient;
  readonly secrets: SecretsManager;
  readonly checkpoints: Checkpoints;

  constructor(
    { dynamodb, queues }: Engines,
    credentials: AwsIdentity,
    data: DataDirectory,
    onFault: (error: unknown) => void,
  ) {
    const client = { region: REGION, credentials, ...PLAIN_ENDPOINTS };
    this.dynamodb = new DynamoDBClient({ ...client, endpoint: dynamodb.endpoint });
    this.streams = new DynamoDBStreamsClient({ ...client, endpoint: dynamodb.endpoint });
    // It copies every record for a logger, even if there is none.
    this.streams.middlewareStack.remove("loggerMiddleware");
    this.sqs = new SQSClient({ ...client, endpoint: queues.endpoint });
    this.secrets = new SecretsManager(data.secretsFile);
    this.checkpoints = new Checkpoints(join(data.folder("checkpoints"), "checkpoints.sqlite"), onFault);
    this.checkpoints.takeOver(data.formerCheckpointsFile);
  }

  /** Brings tables, queues and secrets to their definitions. Returns whether a table is new. */
  async deploy({ tables, queues, secrets }: Assembly): Promise<boolean> {
    const created = await Promise.all(tables.map((table) => deployTable(this.dynamodb, table)));
    await deployQueues(this.sqs, queues);
    for (const secret of secrets) this.secrets.deploy(secret);
    return created.includes(true);
  }

  close(): void {
    this.checkpoints.close();
    for (const client of [this.dynamodb, this.streams, this.sqs]) client.destroy();
  }
}
