import { sampleCandidateEvent } from "#candidates/outbox/sample-event";
import { EVENT_TYPES, type EventType, isEndpointEventType, type WebhookEvent } from "#contract/events";
import type { Runtime } from "#runtime/runtime";
import { deliveryOf } from "#webhooks/delivery/delivery";
import type { DeliveryQueue } from "#webhooks/delivery/delivery-queue";
import { sampleEndpointEvent } from "#webhooks/endpoints/endpoint-event";
import type { WebhookEndpointRepository } from "#webhooks/endpoints/webhook-endpoint-repository";

export interface SampleService extends Pick<Runtime, "now" | "randomBytes"> {
  readonly endpoints: Pick<WebhookEndpointRepository, "get">;
  readonly queue: Pick<DeliveryQueue, "send">;
}

/**
 * Sends a sample event to an endpoint, whether it is active or not.
 *
 * @param type by default the first one that the endpoint is subscribed to
 * @throws NotFound if the organisation has no such endpoint
 */
export async function sendSample(
  orgId: string,
  endpointId: string,
  type: EventType | undefined,
  { endpoints, queue, ...sources }: SampleService,
): Promise<void> {
  const { eventTypes } = await endpoints.get(orgId, endpointId);
  const [firstType = EVENT_TYPES[0]] = eventTypes;
  const event = sampleOf(type ?? firstType, sources);
  await queue.send(deliveryOf(event, orgId, endpointId, sources.now()));
}

/**
 * A sample event of a type: invented ids, marked as a sample.
 *
 * @internal Exported for tests.
 */
export function sampleOf(type: EventType, sources: Pick<Runtime, "now" | "randomBytes">): WebhookEvent {
  return isEndpointEventType(type) ? sampleEndpointEvent(type, sources) : sampleCandidateEvent(type, sources);
}
