import {
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  type TableDescription,
} from "@aws-sdk/client-dynamodb";
import { beforeEach, expect, test } from "vitest";
import { deployTable, type TableDefinition } from "../../../local/dynamodb/tables.ts";
import { mockedClient } from "../../builders/mocked-client.ts";

const dynamodb = mockedClient(DynamoDBClient);
beforeEach(() => void dynamodb.reset());

const attributes = [
  { AttributeName: "pk", AttributeType: "S" as const },
  { AttributeName: "day", AttributeType: "S" as const },
];
const index = (IndexName: string) => ({
  IndexName,
  KeySchema: [{ AttributeName: "day", KeyType: "HASH" as const }],
  Projection: { ProjectionType: "KEYS_ONLY" as const },
});
const definition: TableDefinition = {
  name: "table",
  attributes,
  keys: [{ AttributeName: "pk", KeyType: "HASH" }],
  indexes: [index("by-day"), index("by-week")],
  stream: "NEW_IMAGE",
  timeToLive: "expiresAt",
};

/** Deploys the definition to a table with data. Returns whether it is new, and the input of each update. */
async function deployTo(existing: TableDescription, timeToLive?: string) {
  dynamodb.on(DescribeTableCommand).resolves({ Table: { TableStatus: "ACTIVE", ...existing } });
  dynamodb
    .on(DescribeTimeToLiveCommand)
    .resolves({ TimeToLiveDescription: timeToLive === undefined ? {} : { AttributeName: timeToLive } });
  const isNew = await deployTable(new DynamoDBClient(), definition);
  const updates = dynamodb
    .calls()
    .map(({ args: [command] }) => command)
    .filter((each) => !(each instanceof DescribeTableCommand || each instanceof DescribeTimeToLiveCommand))
    .map(({ input }) => input);
  return { isNew, updates };
}

test("A table from before an index, a stream or a time to live gets what it lacks, and keeps its data", async () => {
  const { isNew, updates } = await deployTo({
    KeySchema: definition.keys,
    GlobalSecondaryIndexes: [index("by-day")],
  });

  expect(isNew).toBe(false);
  expect(updates).toEqual([
    {
      TableName: "table",
      AttributeDefinitions: attributes,
      GlobalSecondaryIndexUpdates: [{ Create: index("by-week") }],
    },
    { TableName: "table", StreamSpecification: { StreamEnabled: true, StreamViewType: "NEW_IMAGE" } },
    { TableName: "table", TimeToLiveSpecification: { AttributeName: "expiresAt", Enabled: true } },
  ]);
});

test("A table that is as defined is not changed", async () => {
  const existing: TableDescription = {
    KeySchema: definition.keys,
    GlobalSecondaryIndexes: definition.indexes,
    StreamSpecification: { StreamEnabled: true, StreamViewType: "NEW_IMAGE" },
  };

  expect(await deployTo(existing, "expiresAt")).toEqual({ isNew: false, updates: [] });
});

test("A table with other keys than its data is refused in one sentence", async () => {
  await expect(deployTo({ KeySchema: [{ AttributeName: "id", KeyType: "HASH" }] })).rejects.toThrow(
    "The keys of table table have changed since its data was written. Delete the data with npm start -- --reset.",
  );
});
