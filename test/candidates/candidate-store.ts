import { randomUUID } from "node:crypto";
import { DescribeTableCommand, DynamoDBClient } from "@aws-sdk/client-dynamodb";
import {
  DescribeStreamCommand,
  DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
} from "@aws-sdk/client-dynamodb-streams";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { App, Stack } from "aws-cdk-lib";
import { Template as SynthesisedTemplate } from "aws-cdk-lib/assertions";
import type { OutboxRecord } from "#candidates/outbox/outbox";
import { CandidateTable } from "../../infra/candidate-table.ts";
import { environments } from "../../infra/environments.ts";
import { deployTable, readTables } from "../../local/dynamodb/tables.ts";
import { Template } from "../../local/template.ts";

/** The template's table on an engine that judges conditions as DynamoDB does. */
export interface Store {
  readonly client: DynamoDBDocumentClient;
  readonly tableName: string;
  /** Every write that left an event in the outbox since the last call, as the event source lets through. */
  firedSinceLastAsked(): Promise<OutboxRecord[]>;
  close(): void;
}

/** The table as the stack deploys it, empty, in a database of its own on a DynamoDB Local. */
export async function aStore(endpoint: string): Promise<Store> {
  const connection = {
    endpoint,
    region: "us-east-1",
    // Each access key id has a database of its own there.
    credentials: {
      accessKeyId: `test${randomUUID().replaceAll("-", "").slice(0, 12)}`,
      secretAccessKey: "test",
    },
  };
  const engineClient = new DynamoDBClient(connection);
  const streams = new DynamoDBStreamsClient(connection);
  const tableName = await createTable(engineClient);
  const read = outboxReader(engineClient, streams, tableName);
  return {
    client: DynamoDBDocumentClient.from(engineClient, { marshallOptions: { removeUndefinedValues: true } }),
    tableName,
    firedSinceLastAsked: read,
    close() {
      engineClient.destroy();
      streams.destroy();
    },
  };
}

async function createTable(client: DynamoDBClient): Promise<string> {
  const [settings] = environments;
  if (!settings) throw new Error("The app has an environment.");
  // The one construct: to synthesise the whole stack takes longer than every test here.
  const stack = new Stack(new App(), "Store");
  new CandidateTable(stack, "CandidateTable", { settings });
  const [table] = readTables(
    new Template(SynthesisedTemplate.fromStack(stack).toJSON(), {
      stackName: stack.stackName,
      queuesEndpoint: "http://127.0.0.1:1",
    }),
  );
  if (!table) throw new Error("The construct has a table.");
  await deployTable(client, table);
  return table.name;
}

function outboxReader(client: DynamoDBClient, streams: DynamoDBStreamsClient, TableName: string) {
  let iterator: string | undefined;
  return async () => {
    iterator ??= await oldest(client, streams, TableName);
    const fired: OutboxRecord[] = [];
    for (;;) {
      const page = await streams.send(new GetRecordsCommand({ ShardIterator: iterator }));
      iterator = page.NextShardIterator ?? iterator;
      if (!page.Records?.length) return fired;
      for (const { dynamodb } of page.Records) {
        if (!dynamodb?.NewImage?.["event"]) continue;
        fired.push({ sequenceNumber: dynamodb.SequenceNumber ?? "", newImage: dynamodb.NewImage });
      }
    }
  };
}

async function oldest(client: DynamoDBClient, streams: DynamoDBStreamsClient, TableName: string) {
  const { Table } = await client.send(new DescribeTableCommand({ TableName }));
  const StreamArn = Table?.LatestStreamArn;
  const { StreamDescription } = await streams.send(new DescribeStreamCommand({ StreamArn }));
  const { ShardIterator } = await streams.send(
    new GetShardIteratorCommand({
      StreamArn,
      ShardId: StreamDescription?.Shards?.[0]?.ShardId,
      ShardIteratorType: "TRIM_HORIZON",
    }),
  );
  return ShardIterator;
}
