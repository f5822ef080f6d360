import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { CreateTableCommand, DynamoDBClient, PutItemCommand, ScanCommand } from "@aws-sdk/client-dynamodb";
import { expect, onTestFinished, test } from "vitest";
import { dynamoDbLocal } from "../../local/dynamodb/download.ts";
import { type DynamoDbEngine, startDynamoDb } from "../../local/dynamodb/engine.ts";
import { useWriteAheadLog } from "../../local/dynamodb/write-ahead-log.ts";
import { CommandError } from "../../local/machine/command-error.ts";
import { cacheDirectory } from "../../local/service/project.ts";
import { MessageDatabase } from "../../local/sqs/message-database.ts";
import { REGION } from "../../local/template.ts";
import { temporaryFolder } from "../builders/temporary-folder.ts";
import { kill } from "../local/start-command.ts";

const ACCESS_KEY_ID = "LOCALWRITEAHEADLOG0000";
const TableName = "candidates";

test("a killed engine keeps every acknowledged write, also of a database that had no write-ahead log", async () => {
  const folder = await temporaryFolder();
  const [before, first] = await anEngine(folder);
  await before.send(
    new CreateTableCommand({
      TableName,
      BillingMode: "PAY_PER_REQUEST",
      AttributeDefinitions: [{ AttributeName: "pk", AttributeType: "S" }],
      KeySchema: [{ AttributeName: "pk", KeyType: "HASH" }],
    }),
  );
  await put(before, "before");
  await first.stop();
  expect(existsSync(join(folder, `${ACCESS_KEY_ID}_${REGION}.db-wal`))).toBe(false);

  useWriteAheadLog(folder, ACCESS_KEY_ID);
  const [killed] = await anEngine(folder);
  const acknowledged = ["before"];
  const puts = Array.from({ length: 100 }, async (_, at) => {
    await put(killed, `${at}`);
    acknowledged.push(`${at}`);
  });
  await Promise.any(puts);
  expect(existsSync(join(folder, `${ACCESS_KEY_ID}_${REGION}.db-wal`))).toBe(true);
  await kill(folder);
  await Promise.allSettled(puts);

  const [after] = await anEngine(folder);
  const { Items = [] } = await after.send(new ScanCommand({ TableName, ConsistentRead: true }));
  expect(Items.map(({ pk }) => pk?.S)).toEqual(expect.arrayContaining(acknowledged));
});

test.each([
  ["dynamodb", (folder: string) => useWriteAheadLog(folder, ACCESS_KEY_ID), `${ACCESS_KEY_ID}_${REGION}.db`],
  ["queues", (folder: string) => new MessageDatabase(join(folder, "messages.db")), "messages.db"],
])(
  "a damaged database of %s is refused in a sentence with its name and the remedy",
  async (_, open, name) => {
    const folder = await temporaryFolder();
    const file = join(folder, name);
    await writeFile(file, "not a database, ".repeat(1_000));

    expect(() => open(folder)).toThrow(
      new CommandError(
        `${file} is damaged. Put a copy of the data folder back, or start with npm start -- --reset, which deletes all local data.`,
      ),
    );
  },
);

test.each(["DELETE", "WAL"])(
  "a database that another process writes is refused in a sentence: %s",
  async (mode) => {
    const folder = await temporaryFolder();
    const file = join(folder, `${ACCESS_KEY_ID}_${REGION}.db`);
    const other = new DatabaseSync(file);
    onTestFinished(() => other.close());
    other.exec(`PRAGMA journal_mode = ${mode}; CREATE TABLE any (one); BEGIN IMMEDIATE`);

    expect(() => useWriteAheadLog(folder, ACCESS_KEY_ID, 0)).toThrow(
      new CommandError(`${file} is locked by another process. Stop that process, then start again.`),
    );
  },
);

/** DynamoDB Local on the data of a folder, and a client of its database. */
async function anEngine(folder: string): Promise<[DynamoDBClient, DynamoDbEngine]> {
  const engine = await startDynamoDb({
    program: await dynamoDbLocal({ cacheDirectory: cacheDirectory(), onProgress: () => {} }),
    dataDirectory: folder,
    logFile: join(folder, "engine.log"),
  });
  onTestFinished(() => engine.stop());
  const client = new DynamoDBClient({
    endpoint: engine.endpoint,
    region: REGION,
    credentials: { accessKeyId: ACCESS_KEY_ID, secretAccessKey: "test" },
    maxAttempts: 1,
  });
  return [client, engine];
}

function put(client: DynamoDBClient, pk: string) {
  return client.send(new PutItemCommand({ TableName, Item: { pk: { S: pk } } }));
}
