import { DeleteCommand, type DynamoDBDocumentClient, paginateQuery } from "@aws-sdk/lib-dynamodb";
import { RECORD } from "#candidates/store/item/candidate-key";
import { getItem } from "#candidates/store/item/get-item";
import {
  PART_PREFIX,
  parsePartKey,
  referencesIn,
  sectionKey,
  WRITE_PREFIX,
} from "#candidates/store/item/section-reference";

/** Removes the parts that nothing names: those of writes that did not come to an end. */
export class PartSweep {
  readonly #client: DynamoDBDocumentClient;
  readonly #tableName: string;

  constructor(client: DynamoDBDocumentClient, tableName: string) {
    this.#client = client;
    this.#tableName = tableName;
  }

  /**
   * Sweeps one candidate. Its parts are read first, then the notices of writes, then what its item names:
   * a part whose write is over, and which the item does not name after that, is never named again.
   *
   * @param pk the candidate's partition key
   */
  async sweep(pk: string): Promise<void> {
    const parts = await this.#sortKeys(pk, PART_PREFIX);
    if (parts.length === 0) return;
    const underWay = await this.#sortKeys(pk, WRITE_PREFIX);
    const item = await getItem(this.#client, this.#tableName, { pk, sk: RECORD });
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
