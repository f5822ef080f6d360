import { type DynamoDBDocumentClient, GetCommand } from "@aws-sdk/lib-dynamodb";
import { parseHandle } from "#candidates/handles";
import { candidateKey } from "#candidates/store/item/candidate-key";
import { assertKnownVersion } from "#candidates/store/item/item-version";
import { parseCandidateItem } from "#candidates/store/item/parse-item";
import type { EventType } from "#contract/events";
import type { WithTable } from "#runtime/dynamodb";
import { readEnvironment, TableName } from "#runtime/environment";

/** A life is the time from a candidate's create to its erasure. This is the current one, or the last if it is erased. */
export interface Life {
  readonly isErased: boolean;
  /** The `sequence` of the event that began it. */
  readonly firstSequence: number;
  /** Absent after erasure. */
  readonly externalId?: string | undefined;
}

/**
 * Whether an event may still be sent. Events of an erased life may not, except for the `candidate.erased` event
 * of the latest one.
 *
 * @param life absent if nothing is left of the candidate, not even its tombstone
 */
export function maySend(
  { type, sequence }: { readonly type: EventType; readonly sequence: number },
  life: Life | undefined,
): boolean {
  if (type !== "candidate.erased" && (!life || life.isErased)) return false;
  return !life || sequence >= life.firstSequence;
}

/** The attributes of a candidate's item that a lookup reads. */
export const LIFE_ATTRIBUTES = ["itemVersion", "status", "firstSequence", "externalId"] as const;

/** Reads the lives of candidates, across organisations. */
export class CandidateLives {
  readonly #client: DynamoDBDocumentClient;
  readonly #tableName: string;

  constructor(client: DynamoDBDocumentClient, tableName: string) {
    this.#client = client;
    this.#tableName = tableName;
  }

  /**
   * The candidate's life, read consistently; undefined if nothing is left of the candidate.
   *
   * @throws Error if the item is of a newer version than this code supports
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
