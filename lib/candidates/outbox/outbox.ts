import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import type { _Record } from "@aws-sdk/client-dynamodb-streams";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import type { DynamoDBRecord } from "aws-lambda";
import * as z from "zod/mini";
import { handlesOf } from "#candidates/handles";
import type { CandidateItem } from "#candidates/store/item/candidate-item";
import { parseCandidateKey } from "#candidates/store/item/candidate-key";
import { assertKnownVersion } from "#candidates/store/item/item-version";
import { parseCandidateItem } from "#candidates/store/item/parse-item";
import { CandidateEvent, CONTRACT_VERSION } from "#contract/events";

/** A write that fired an event, as it appears in the table's stream, and as it is parked. */
export const OutboxRecord = z.object({
  sequenceNumber: z.string(),
  newImage: z.catchall(z.object({}), z.custom<AttributeValue>()),
});
export type OutboxRecord = Readonly<z.infer<typeof OutboxRecord>>;

/** Same rule as the stream's filter for publish-events. A delivery's record has a string attribute of this name. */
export function firesEvent({ dynamodb }: _Record): boolean {
  return dynamodb?.NewImage?.["event"]?.M?.["id"] !== undefined;
}

/** A record of the stream, as Lambda passes it or as it is read from the stream: they differ in binary values alone. */
export function toOutboxRecord({ dynamodb }: DynamoDBRecord | _Record): OutboxRecord {
  return {
    sequenceNumber: dynamodb?.SequenceNumber ?? "",
    newImage: (dynamodb?.NewImage ?? {}) as OutboxRecord["newImage"],
  };
}

/** The partition key of the item that was written. */
export function partitionKeyOf({ newImage }: OutboxRecord): string | undefined {
  return newImage["pk"]?.S;
}

/** The item as it was written. */
export function itemOf({ newImage }: OutboxRecord): Record<string, unknown> {
  return unmarshall(newImage);
}

/** A record with no other attributes of its item than these. */
export function reducedTo(
  { sequenceNumber, newImage }: OutboxRecord,
  attributes: readonly string[],
): OutboxRecord {
  return {
    sequenceNumber,
    newImage: Object.fromEntries(
      attributes.flatMap((name) => (newImage[name] ? [[name, newImage[name]]] : [])),
    ),
  };
}

/**
 * The attributes that make up an event, and the version of their form. No other attribute of a candidate's item may
 * leave the table this way.
 */
export const OUTBOX_ATTRIBUTES = [
  "pk",
  "event",
  "sequence",
  "externalId",
  "status",
  "verificationStatus",
  "availabilityStatus",
  "promotedAt",
  "itemVersion",
] as const;

/** The version of records that earlier code parked without it. */
const PARKED_WITHOUT_VERSION = 1;

/**
 * The organisation of a candidate's record, and the event in its outbox.
 *
 * @throws Error if the record cannot be read
 */
export function readOutbox(record: OutboxRecord) {
  const item = parseCandidateItem(itemOf(record));
  const key = parseCandidateKey(item["pk"]);
  if (!key) throw new Error("The item is not a candidate's.");
  assertKnownVersion({ itemVersion: item.itemVersion ?? PARKED_WITHOUT_VERSION });
  return { orgId: key.orgId, event: toCandidateEvent(key.digest, item) };
}

/**
 * The event in the outbox of a candidate's item, in the form that subscribers receive.
 *
 * @throws Error if the item has no readable event
 */
export function toCandidateEvent(digest: string, item: CandidateItem): CandidateEvent {
  const { event, sequence, externalId, status, verificationStatus, availabilityStatus } = item;
  const handles = handlesOf(digest, item);
  return CandidateEvent.parse({
    id: event?.id,
    type: event?.type,
    apiVersion: CONTRACT_VERSION,
    occurredAt: event?.occurredAt,
    sequence,
    data:
      event?.type === "candidate.erased"
        ? { ...handles, status }
        : {
            ...handles,
            externalId,
            status,
            verificationStatus,
            availabilityStatus,
            ...(event?.reasons && { reasons: event.reasons }),
          },
  });
}
