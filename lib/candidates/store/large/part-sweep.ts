import { DeleteCommand, type DynamoDBDocumentClient, paginateQuery } from "@aws-sdk/lib-dynamodb";
import { RECORD } from "#candidates/store/item/candidate-key";
import { getItem } from "#candidates/store/item/get-item";
import { assertKnownVersion } from "#candidates/store/item/item-version";
import {
  PART_PREFIX,
  parsePartKey,
  referencesIn,
  sectionKey,
  WRITE_PREFIX,
} from "#candidates/store/item/section-reference";

/** Removes parts that no item references: those of writes that did not finish. */
export class PartSweep {
  readonly #client: DynamoDBDocumentClient;
  readonly #tableName: string;

  constructor(client: DynamoDBDocumentClient, tableName: string) {
    this.#client = client;
    this.#tableName = tableName;
  }

  /**
   * Sweeps one candidate. Reads its parts first, then the write notices, then the references in its item. A part
   * whose write is over, and which the item does not reference after that, is never referenced again.
   *
   * @param pk the candidate's partition key
   * @throws Error if the item is of a version that this code does not support: its references would not be seen
   */
  async sweep(pk: string): Promise<void> {
    const parts = await this.#sortKeys(pk, PART_PREFIX);
    if (parts.length === 0) return;
    const underWay = await this.#sortKeys(pk, WRITE_PREFIX);
    const item = await getItem(this.#client, this.#tableName, { pk, sk: RECORD });
    if (item) assertKnownVersion(item);
    const named = referencesIn(item ?? {}).map(([section, reference]) => sectionKey(section, reference));
    for (const sk of parts) {
      const part = parsePartKey(sk);
      if (named.includes(part.sectionKey) || underWay.includes(`${WRITE_PREFIX}${part.writeId}`)) continue;
      await this.#client.send(new DeleteCommand({ TableName: this.#tableName, Key: { pk, sk } }));
    }
  }

  async #sortKeys(pk: string, prefix: string): Promise<string[]> {
    const pages = paginateQuery(
      { client: this.#client },
      {
        TableName: this.#tableName,
        KeyConditionExpression: "pk = :pk AND begins_with(sk, :prefix)",
        ExpressionAttributeValues: { ":pk": pk, ":prefix": prefix },
        ProjectionExpression: "sk",
        ConsistentRead: true,
      },
    );
    const items = (await Array.fromAsync(pages)).flatMap(({ Items = [] }) => Items);
    return items.map(({ sk }) => String(sk));
  }
}
