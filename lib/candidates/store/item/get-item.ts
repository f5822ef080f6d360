import { type DynamoDBDocumentClient, GetCommand } from "@aws-sdk/lib-dynamodb";
import type { CandidateItem } from "#candidates/store/item/candidate-item";
import type { CandidateKey } from "#candidates/store/item/candidate-key";
import { parseCandidateItem } from "#candidates/store/item/parse-item";

/** A candidate's item, read consistently in one request; undefined if there is none. */
export async function getItem(
  client: DynamoDBDocumentClient,
  tableName: string,
  key: CandidateKey,
): Promise<CandidateItem | undefined> {
  const { Item } = await client.send(
    new GetCommand({ TableName: tableName, Key: key, ConsistentRead: true }),
  );
  return Item && parseCandidateItem(Item);
}
