import { type DynamoDBDocumentClient, GetCommand } from "@aws-sdk/lib-dynamodb";
import { parseHandle } from "#candidates/handles";
import type { CandidateItem } from "#candidates/store/item/candidate-item";
import { candidateKey } from "#candidates/store/item/candidate-key";
import { assertKnownVersion } from "#candidates/store/item/item-version";
import type { EventType } from "#contract/events";

/** The life that a candidate is in, or that its erasure ended. */
export interface Life {
  readonly isErased: boolean;
  /** The `sequence` of the event that began it. */
  readonly firstSequence: number;
  /** Absent once erased. */
  readonly externalId?: string | undefined;
}

/**
 * Whether an event may still be sent: an event of an erased life may not, but for the `candidate.erased` of the
 * last one.
 *
 * @param life absent when nothing of the candidate is left, its tombstone included
 */
export function maySend(
  { type, sequence }: { readonly type: EventType; readonly sequence: number },
  life: Life | undefined,
): boolean {
  if (type !== "candidate.erased" && (!life || life.isErased)) return false;
  return !life || sequence >= life.firstSequence;
}

/** The attributes of a candidate's item that are read. */
export const LIFE_ATTRIBUTES = ["itemVersion", "status", "firstSequence", "externalId"] as const;

type ReadAttributes = Pick<CandidateItem, "itemVersion" | "status" | "firstSequence"> &
  Pick<Life, "externalId">;

/** Reads the lives of every organisation's candidates. */
export class CandidateLives {
  readonly #client: DynamoDBDocumentClient;
  readonly #tableName: string;

  constructor(client: DynamoDBDocumentClient, tableName: string) {
    this.#client = client;
    this.#tableName = tableName;
  }

  /**
   * The life that the candidate is in, as of now; undefined when nothing of the candidate is left.
   *
   * @throws Error when the item is of a newer form than this code knows
   */
  async find(orgId: string, stagedId: string): Promise<Life | undefined> {
    const { Item } = await this.#client.send(
      new GetCommand({
        TableName: this.#tableName,
        Key: candidateKey(orgId, parseHandle(stagedId).digest),
        ConsistentRead: true,
        ProjectionExpression: LIFE_ATTRIBUTES.map((name) => `#${name}`).join(", "),
        ExpressionAttributeNames: Object.fromEntries(LIFE_ATTRIBUTES.map((name) => [`#${name}`, name])),
      }),
    );
    if (!Item) return undefined;
    const { itemVersion, status, firstSequence, externalId } = Item as ReadAttributes;
    assertKnownVersion({ itemVersion });
    return { isErased: status === "erased", firstSequence, externalId };
  }
}
