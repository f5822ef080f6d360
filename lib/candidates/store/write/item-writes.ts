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
export class ItemWrites {
  readonly #client: DynamoDBDocumentClient;
  readonly #tableName: string;

  constructor(client: DynamoDBDocumentClient, tableName: string) {
    this.#client = client;
    this.#tableName = tableName;
  }

  put({ item, seen }: ItemPut): Promise<WriteOutcome> {
    const condition = seen ? whereStill(...seen) : whereNoneIs;
    return settled(item, async () => {
      await this.#client.send(
        new PutCommand({
          TableName: this.#tableName,
          Item: item,
          ...condition,
          ReturnValuesOnConditionCheckFailure: "ALL_OLD",
        }),
      );
      return item;
    });
  }

  update(key: CandidateKey, update: ItemUpdate): Promise<WriteOutcome> {
    return settled(update.set, async () => {
      const { Attributes = {} } = await this.#client.send(
        new UpdateCommand({
          TableName: this.#tableName,
          Key: key,
          ...updateExpression(update),
          ReturnValues: "ALL_NEW",
          ReturnValuesOnConditionCheckFailure: "ALL_OLD",
        }),
      );
      return parseCandidateItem(Attributes);
    });
  }
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
