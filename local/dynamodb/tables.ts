import {
  type AttributeDefinition,
  CreateTableCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  type DynamoDBClient,
  type GlobalSecondaryIndex,
  type KeySchemaElement,
  ResourceNotFoundException,
  type StreamViewType,
  type TableDescription,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from "@aws-sdk/client-dynamodb";
import * as z from "zod";
import { CommandError } from "../machine/command-error.ts";
import type { Template } from "../template.ts";

const KeySchema = z.array(z.object({ AttributeName: z.string(), KeyType: z.enum(["HASH", "RANGE"]) }));

const TableProperties = z.object({
  TableName: z.string().optional(),
  AttributeDefinitions: z.array(
    z.object({ AttributeName: z.string(), AttributeType: z.enum(["S", "N", "B"]) }),
  ),
  KeySchema,
  GlobalSecondaryIndexes: z
    .array(
      z.object({
        IndexName: z.string(),
        KeySchema,
        Projection: z.object({
          ProjectionType: z.enum(["ALL", "KEYS_ONLY", "INCLUDE"]),
          NonKeyAttributes: z.array(z.string()).optional(),
        }),
      }),
    )
    .default([]),
  StreamSpecification: z
    .object({ StreamViewType: z.enum(["NEW_IMAGE", "OLD_IMAGE", "NEW_AND_OLD_IMAGES", "KEYS_ONLY"]) })
    .optional(),
  TimeToLiveSpecification: z
    .object({ AttributeName: z.string().optional(), Enabled: z.boolean() })
    .optional(),
});

/** A DynamoDB table as defined by the assembly. */
export interface TableDefinition {
  readonly name: string;
  readonly attributes: AttributeDefinition[];
  readonly keys: KeySchemaElement[];
  readonly indexes: GlobalSecondaryIndex[];
  readonly stream: StreamViewType | undefined;
  readonly timeToLive: string | undefined;
}

export function readTables(template: Template): TableDefinition[] {
  return template.resourcesOf("AWS::DynamoDB::Table", TableProperties).map(({ ref, properties }) => ({
    name: ref,
    attributes: properties.AttributeDefinitions,
    keys: properties.KeySchema,
    indexes: properties.GlobalSecondaryIndexes.map(({ Projection, ...index }) => ({
      ...index,
      Projection: {
        ProjectionType: Projection.ProjectionType,
        ...(Projection.NonKeyAttributes && { NonKeyAttributes: Projection.NonKeyAttributes }),
      },
    })),
    stream: properties.StreamSpecification?.StreamViewType,
    timeToLive: properties.TimeToLiveSpecification?.Enabled
      ? properties.TimeToLiveSpecification.AttributeName
      : undefined,
  }));
}

/**
 * Brings the table to its definition: creates it, or adds missing indexes, the stream and the time to live.
 * Returns whether the table is new, and therefore empty.
 *
 * @throws CommandError if its keys have changed, which requires a new table
 */
export async function deployTable(client: DynamoDBClient, definition: TableDefinition): Promise<boolean> {
  const existing = await describe(client, definition.name);
  if (existing) await update(client, definition, existing);
  else await create(client, definition);
  await setTimeToLive(client, definition);
  return existing === undefined;
}

async function describe(client: DynamoDBClient, TableName: string): Promise<TableDescription | undefined> {
  try {
    return (await client.send(new DescribeTableCommand({ TableName }))).Table;
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  }
}

async function create(client: DynamoDBClient, definition: TableDefinition): Promise<void> {
  await client.send(
    new CreateTableCommand({
      TableName: definition.name,
      AttributeDefinitions: definition.attributes,
      KeySchema: definition.keys,
      BillingMode: "PAY_PER_REQUEST",
      ...(definition.indexes.length > 0 && { GlobalSecondaryIndexes: definition.indexes }),
      ...(definition.stream && {
        StreamSpecification: { StreamEnabled: true, StreamViewType: definition.stream },
      }),
    }),
  );
  await active(client, definition.name);
}

async function update(
  client: DynamoDBClient,
  definition: TableDefinition,
  existing: TableDescription,
): Promise<void> {
  if (signature(existing.KeySchema) !== signature(definition.keys)) {
    throw new CommandError(
      `The keys of table ${definition.name} have changed since its data was written. Delete the data with npm start -- --reset.`,
    );
  }
  const present = new Set(existing.GlobalSecondaryIndexes?.map(({ IndexName }) => IndexName));
  for (const index of definition.indexes.filter(({ IndexName }) => !present.has(IndexName))) {
    await client.send(
      new UpdateTableCommand({
        TableName: definition.name,
        AttributeDefinitions: definition.attributes,
        GlobalSecondaryIndexUpdates: [{ Create: index }],
      }),
    );
    await active(client, definition.name);
  }
  if (definition.stream && !existing.StreamSpecification?.StreamEnabled) {
    await client.send(
      new UpdateTableCommand({
        TableName: definition.name,
        StreamSpecification: { StreamEnabled: true, StreamViewType: definition.stream },
      }),
    );
    await active(client, definition.name);
  }
}

async function setTimeToLive(client: DynamoDBClient, { name, timeToLive }: TableDefinition): Promise<void> {
  if (timeToLive === undefined) return;
  const { TimeToLiveDescription } = await client.send(new DescribeTimeToLiveCommand({ TableName: name }));
  if (TimeToLiveDescription?.AttributeName === timeToLive) return;
  await client.send(
    new UpdateTimeToLiveCommand({
      TableName: name,
      TimeToLiveSpecification: { AttributeName: timeToLive, Enabled: true },
    }),
  );
}

async function active(client: DynamoDBClient, TableName: string): Promise<void> {
  await waitUntilTableExists({ client, maxWaitTime: 30, minDelay: 1, maxDelay: 1 }, { TableName });
}

function signature(keys: readonly KeySchemaElement[] | undefined): string {
  return JSON.stringify(keys?.map(({ AttributeName, KeyType }) => [AttributeName, KeyType]));
}
