import { type DynamoDBDocumentClient, GetCommand } from "@aws-sdk/lib-dynamodb";
import { parseHandle } from "#candidates/handles";
import { candidateKey } from "#candidates/store/item/candidate-key";
import { assertKnownVersion } from "#candidates/store/item/item-version";
import { parseCandidateItem } from "#candidates/store/item/parse-item";
import type { EventType } from "#contract/events";
import type { WithTable } from "#runtime/dynamodb";
import { readEnvironment, TableName } from "#runtime/environment";

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
    const item = parseCandidateItem(Item);
    assertKnownVersion(item);
    const { status, firstSequence, externalId } = item;
    return { isErased: status === "erased", firstSequence, externalId };
  }
}

/** The lives of the deployment's candidates. */
export function candidateLivesOf({ documentClient, variables }: WithTable): CandidateLives {
  const environment = readEnvironment({ TABLE_NAME: TableName }, variables);
  return new CandidateLives(documentClient, environment.TABLE_NAME);
}
