import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DynamoDBClient, ListTablesCommand } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient, PutCommand } from "@aws-sdk/lib-dynamodb";
import { packMembers } from "#candidates/store/item/candidate-item";
import { CandidateSubmission } from "#contract/candidate-submission";
import type { NpmStart } from "./npm-start.ts";
import { processTree } from "./processes.ts";
import { aRealisticSubmission } from "./submissions.ts";

/** Puts candidates into the DynamoDB Local of a local stack, past everything else: the limit of what it can create. */
export async function putting({ dataDir, pid }: NpmStart): Promise<() => Promise<void>> {
  const client = new DynamoDBClient({
    endpoint: await dynamoDbEndpoint(pid),
    region: "us-east-1",
    credentials: JSON.parse(readFileSync(join(dataDir, "identity.json"), "utf8")),
  });
  const { TableNames: [TableName] = [] } = await client.send(new ListTablesCommand({}));
  const document = DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
  const { attributes } = packMembers(CandidateSubmission.parse(aRealisticSubmission()));
  let put = 0;
  return async () => {
    const Item = { pk: `BENCH#${put++}`, sk: "RECORD", ...attributes };
    await document.send(new PutCommand({ TableName, Item, ConditionExpression: "attribute_not_exists(pk)" }));
  };
}

/** Where DynamoDB Local listens, which only its command line shows. */
async function dynamoDbEndpoint(pid: number): Promise<string> {
  const commands = (await processTree(pid)).map(({ command }) => command);
  const port = commands
    .map((command) => /^java .*DynamoDBLocal\.jar -port (\d+)/.exec(command)?.[1])
    .find(Boolean);
  if (!port) throw new Error("The local stack has no DynamoDB Local.");
  return `http://127.0.0.1:${port}`;
}
