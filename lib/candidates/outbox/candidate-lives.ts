import { type DynamoDBDocumentClient, GetCommand } from "@aws-sdk/lib-dynamodb";
import type { Rejection } from "#candidates/candidate-commands";
import { parseHandle } from "#candidates/handles";
import { REJECTIONS } from "#candidates/rejections";
import { type CandidateKey, candidateKey } from "#candidates/store/item/candidate-key";
import { assertKnownVersion } from "#candidates/store/item/item-version";
import { type StoredMember, unpackMember } from "#candidates/store/item/member-codec";
import { parseCandidateItem } from "#candidates/store/item/parse-item";
import { isSectionReference } from "#candidates/store/item/section-reference";
import { type PartSources, SectionParts } from "#candidates/store/large/section-parts";
import type { EventType } from "#contract/events";
import { LOST, optimisticRetry } from "#runtime/optimistic-retry";

/**
 * A life is the time from a candidate's create to its erasure. This is the current one, or the last if it is erased.
 */
export interface Life {
  readonly isErased: boolean;
  /** The `sequence` of the event that began it. */
  readonly firstSequence: number;
  /** Absent after erasure. */
  readonly externalId?: string | undefined;
  /** The last failed validations with their reasons; absent if there are none. */
  readonly rejections?: readonly Rejection[];
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
export const LIFE_ATTRIBUTES = ["itemVersion", "status", "firstSequence", "externalId", REJECTIONS] as const;

/** The most times that a life is read if its rejections are replaced during each read. */
const READ_ATTEMPTS = 5;

/** Reads the lives of candidates, across organisations. */
export class CandidateLives {
  readonly #client: DynamoDBDocumentClient;
  readonly #tableName: string;
  readonly #parts: SectionParts;

  constructor(client: DynamoDBDocumentClient, tableName: string, sources: PartSources) {
    this.#client = client;
    this.#tableName = tableName;
    this.#parts = new SectionParts(client, tableName, sources);
  }

  /**
   * The candidate's life, read consistently; undefined if nothing is left of the candidate. It is read again if its
   * rejections have been replaced since its item was read.
   *
   * @throws Error if the item is of a version that this code does not support
   * @throws ServiceUnavailable if its rejections are replaced faster than they are read
   */
  find(orgId: string, stagedId: string): Promise<Life | undefined> {
    const key = candidateKey(orgId, parseHandle(stagedId).digest);
    return optimisticRetry(READ_ATTEMPTS)(() => this.#read(key));
  }

  async #read(key: CandidateKey): Promise<Life | undefined | typeof LOST> {
    const { Item } = await this.#client.send(
      new GetCommand({
        TableName: this.#tableName,
        Key: key,
        ConsistentRead: true,
        ProjectionExpression: LIFE_ATTRIBUTES.map((name) => `#${name}`).join(", "),
        ExpressionAttributeNames: Object.fromEntries(LIFE_ATTRIBUTES.map((name) => [`#${name}`, name])),
      }),
    );
    if (!Item) return undefined;
    const item = parseCandidateItem(Item);
    assertKnownVersion(item);
    const { status, firstSequence, externalId, [REJECTIONS]: stored } = item;
    const life = { isErased: status === "erased", firstSequence, externalId };
    if (stored === undefined) return life;
    // Those of a large candidate may be stored in parts.
    const packed = isSectionReference(stored) ? await this.#parts.read(key.pk, REJECTIONS, stored) : stored;
    if (packed === undefined) return LOST;
    return { ...life, rejections: unpackMember(packed as StoredMember) as readonly Rejection[] };
  }
}
