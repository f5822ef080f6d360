import type { CandidateEventType } from "#contract/events";
import type { Reason } from "#contract/reason";

/** The event that a transition writes to the record's outbox (docs/decisions/0003-outbox.md). */
export interface OutboxEvent {
  readonly id: string;
  readonly type: CandidateEventType;
  readonly occurredAt: string;
  readonly reasons?: readonly Reason[] | undefined;
}

/** A new event for the outbox. */
export function newOutboxEvent(
  type: CandidateEventType,
  { eventId, updatedAt }: { readonly eventId: string; readonly updatedAt: string },
  reasons?: readonly Reason[],
): OutboxEvent {
  return { id: eventId, type, occurredAt: updatedAt, ...(reasons && { reasons }) };
}
