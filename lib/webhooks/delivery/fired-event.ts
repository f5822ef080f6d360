import { unmarshall } from "@aws-sdk/util-dynamodb";
import { type OutboxRecord, readOutbox, withoutOtherAttributes } from "#candidates/outbox/outbox";
import type { WebhookEvent } from "#contract/events";
import { logger } from "#runtime/logger";
import { ENDPOINT_OUTBOX_ATTRIBUTES, toEndpointEvent } from "#webhooks/endpoints/endpoint-event";
import { organisationOf } from "#webhooks/endpoints/endpoint-items";

/** An event of a candidate or an endpoint, and its organisation. */
export interface FiredEvent {
  readonly orgId: string;
  readonly event: WebhookEvent;
}

/** The event that a write fired; undefined if the record cannot be read. */
export function readFiredEvent(record: OutboxRecord): FiredEvent | undefined {
  try {
    const orgId = endpointOwner(record);
    if (orgId === undefined) return readOutbox(record);
    return { orgId, event: toEndpointEvent(unmarshall({ ...record.newImage })) };
  } catch (error) {
    logger.error("unreadable event", { sequenceNumber: record.sequenceNumber, cause: error });
    return undefined;
  }
}

/** A record reduced to the attributes that make up its event; no others may leave the table. */
export function withEventAlone(record: OutboxRecord): OutboxRecord {
  if (endpointOwner(record) === undefined) return withoutOtherAttributes(record);
  const { sequenceNumber, newImage } = record;
  return {
    sequenceNumber,
    newImage: Object.fromEntries(
      ENDPOINT_OUTBOX_ATTRIBUTES.flatMap((name) => (newImage[name] ? [[name, newImage[name]]] : [])),
    ),
  };
}

/** The organisation of an endpoint's record; undefined for a candidate's. */
function endpointOwner({ newImage }: OutboxRecord): string | undefined {
  return organisationOf(newImage["pk"]?.S);
}
