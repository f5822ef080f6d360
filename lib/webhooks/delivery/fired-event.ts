import {
  itemOf,
  OUTBOX_ATTRIBUTES,
  type OutboxRecord,
  partitionKeyOf,
  readOutbox,
  reducedTo,
} from "#candidates/outbox/outbox";
import type { WebhookEvent } from "#contract/events";
import { ENDPOINT_OUTBOX_ATTRIBUTES, toEndpointEvent } from "#webhooks/endpoints/endpoint-event";
import { parseEndpointKey } from "#webhooks/endpoints/endpoint-key";

/** An event of a candidate or an endpoint, and its organisation. */
export interface FiredEvent {
  readonly orgId: string;
  readonly event: WebhookEvent;
}

/**
 * The event that a write fired.
 *
 * @throws Error if the record cannot be read
 */
export function readFiredEvent(record: OutboxRecord): FiredEvent {
  const orgId = endpointOwner(record);
  if (orgId === undefined) return readOutbox(record);
  return { orgId, event: toEndpointEvent(itemOf(record)) };
}

/** A record reduced to the attributes that make up its event; no others may leave the table. */
export function withEventAlone(record: OutboxRecord): OutboxRecord {
  const isCandidate = endpointOwner(record) === undefined;
  return reducedTo(record, isCandidate ? OUTBOX_ATTRIBUTES : ENDPOINT_OUTBOX_ATTRIBUTES);
}

/** The organisation of an endpoint's record; undefined for a candidate's. */
function endpointOwner(record: OutboxRecord): string | undefined {
  return parseEndpointKey(partitionKeyOf(record));
}
