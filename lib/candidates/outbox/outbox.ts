import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { handlesOf } from "#candidates/handles";
import type { CandidateItem } from "#candidates/store/item/candidate-item";
import { parseCandidateKey } from "#candidates/store/item/candidate-key";
import { parseCandidateItem } from "#candidates/store/item/parse-item";
import { CandidateEvent, CONTRACT_VERSION } from "#contract/events";
import { logger } from "#runtime/logger";

/** A write that fired an event, as it appears in the table's stream. */
export interface OutboxRecord {
  readonly sequenceNumber: string;
  readonly newImage: Readonly<Record<string, AttributeValue>>;
}

/** The attributes that make up an event. No other attribute of a candidate's item may leave the table this way. */
const OUTBOX_ATTRIBUTES = [
  "pk",
  "event",
  "sequence",
  "externalId",
  "status",
  "verificationStatus",
  "availabilityStatus",
  "promotedAt",
] as const;

/** The candidate of a record and the event in its outbox; undefined if the record cannot be read. */
export function readOutbox({ sequenceNumber, newImage }: OutboxRecord) {
  try {
    const item = parseCandidateItem(unmarshall({ ...newImage }));
    const key = parseCandidateKey(item["pk"]);
    if (!key) throw new Error("The item is not a candidate's.");
    return { orgId: key.orgId, event: toWebhookEvent(key.digest, item) };
  } catch (error) {
    logger.error("unreadable event", { sequenceNumber, cause: error });
    return undefined;
  }
}

/** A record reduced to the attributes that make up its event; no others may leave the table. */
export function withoutOtherAttributes({ sequenceNumber, newImage }: OutboxRecord): OutboxRecord {
  return {
    sequenceNumber,
    newImage: Object.fromEntries(
      OUTBOX_ATTRIBUTES.flatMap((name) => (newImage[name] ? [[name, newImage[name]]] : [])),
    ),
  };
}

/**
 * The event in the outbox of a candidate's item, in the form that subscribers receive.
 *
 * @throws Error if the item has no readable event
 */
export function toWebhookEvent(digest: string, item: CandidateItem): CandidateEvent {
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
