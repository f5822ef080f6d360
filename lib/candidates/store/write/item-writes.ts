import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { type DynamoDBDocumentClient, PutCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import type { CandidateItem } from "#candidates/store/item/candidate-item";
import type { CandidateKey } from "#candidates/store/item/candidate-key";
import { parseCandidateItem } from "#candidates/store/item/parse-item";
import { outcomeOf, type WriteOutcome, type Written } from "#candidates/store/write/write-outcome";
import { type Update, updateExpression } from "#runtime/update-expression";

/** An item to be put. */
export interface ItemPut {
  readonly item: CandidateItem & Written;
  /** The attribute that the existing item must still have. If absent, there must be no item. */
  readonly seen?: readonly [attribute: "updatedAt" | "writeId", value: unknown];
}

/** An update of an item, with the id of its write. */
export interface ItemUpdate extends Update {
  readonly set: NonNullable<Update["set"]> & Written;
}

/** Writes candidates' items conditionally, in one request each. */
export type ItemWrites = ReturnType<typeof itemWrites>;

export function itemWrites(client: DynamoDBDocumentClient, tableName: string) {
  const common = { TableName: tableName, ReturnValuesOnConditionCheckFailure: "ALL_OLD" } as const;
  return {
    put({ item, seen }: ItemPut): Promise<WriteOutcome> {
      const condition = seen ? whereStill(...seen) : whereNoneIs;
      return settled(item, async () => {
        await client.send(new PutCommand({ ...common, Item: item, ...condition }));
        return item;
      });
    },
    update(key: CandidateKey, update: ItemUpdate): Promise<WriteOutcome> {
      const expression = updateExpression(update);
      return settled(update.set, async () => {
        const { Attributes = {} } = await client.send(
          new UpdateCommand({ ...common, Key: key, ...expression, ReturnValues: "ALL_NEW" }),
        );
        return parseCandidateItem(Attributes);
      });
    },
  };
}

/** The condition of a put: there is no candidate, or its tombstone has expired. */
const whereNoneIs = { ConditionExpression: "attribute_not_exists(pk)" };

/** The condition of a put: the item has not changed since it was read. */
function whereStill(attribute: string, value: unknown) {
  return {
    ConditionExpression: `#${attribute} = :seen`,
    ExpressionAttributeNames: { [`#${attribute}`]: attribute },
    ExpressionAttributeValues: { ":seen": value },
  };
}

async function settled(written: Written, send: () => Promise<CandidateItem>): Promise<WriteOutcome> {
  try {
    return { kind: "written", item: await send() };
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return outcomeOf(error, written);
    throw error;
  }
}
