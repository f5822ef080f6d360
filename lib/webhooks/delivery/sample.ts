import { sampleCandidateEvent } from "#candidates/outbox/sample-event";
import { type EventType, isEndpointEventType, type WebhookEvent } from "#contract/events";
import type { Runtime } from "#runtime/runtime";
import { sampleEndpointEvent } from "#webhooks/endpoints/endpoint-event";

/** A sample event of a type: invented ids, marked as a sample. */
export function sampleOf(type: EventType, sources: Pick<Runtime, "now" | "randomBytes">): WebhookEvent {
  return isEndpointEventType(type) ? sampleEndpointEvent(type, sources) : sampleCandidateEvent(type, sources);
}
