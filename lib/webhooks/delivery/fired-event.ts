import {
  itemOf,
  type OutboxRecord,
  partitionKeyOf,
  readOutbox,
  reducedTo,
  withoutOtherAttributes,
} from "#candidates/outbox/outbox";
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
    return { orgId, event: toEndpointEvent(itemOf(record)) };
  } catch (error) {
    logger.error("unreadable event", { sequenceNumber: record.sequenceNumber, cause: error });
    return undefined;
  }
}

/** A record reduced to the attributes that make up its event; no others may leave the table. */
export function withEventAlone(record: OutboxRecord): OutboxRecord {
  return endpointOwner(record) === undefined
    ? withoutOtherAttributes(record)
    : reducedTo(record, ENDPOINT_OUTBOX_ATTRIBUTES);
}

/** The organisation of an endpoint's record; undefined for a candidate's. */
function endpointOwner(record: OutboxRecord): string | undefined {
  return organisationOf(partitionKeyOf(record));
}
