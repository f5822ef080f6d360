import * as z from "zod/mini";
import type { Life } from "#candidates/outbox/candidate-lives";
import { CandidateEvent, CandidateEventType, CandidateFeedEvent, EndpointEvent } from "#contract/events";

const AbridgedCandidateEvent = z.object({
  id: z.string(),
  type: CandidateEventType,
  apiVersion: z.string(),
  occurredAt: z.iso.datetime(),
  sequence: z.int(),
  sample: z.optional(z.literal(true)),
  data: z.object({
    stagedId: z.string(),
    id: z.nullable(z.string()),
    status: z.string(),
    verificationStatus: z.optional(z.string()),
    availabilityStatus: z.optional(z.string()),
  }),
});
export type AbridgedCandidateEvent = z.infer<typeof AbridgedCandidateEvent>;

/**
 * An event without the data that must not remain after an erasure: `data.externalId`, which may be personal data, and
 * the reasons of a failed validation. Waiting messages, dead letters and delivery records contain this form. An event
 * about an endpoint contains neither, and stays whole.
 */
export const AbridgedEvent = z.union([AbridgedCandidateEvent, EndpointEvent]);
export type AbridgedEvent = z.infer<typeof AbridgedEvent>;

/**
 * The complete event of a candidate, from its abridged form: the same bytes once it is serialised.
 *
 * @param life the candidate's life to which the event belongs. It has the reasons of the last ten rejections; those
 *   of an earlier one are lost, and the list is empty
 */
export function completed(event: AbridgedCandidateEvent, life: Life | undefined): CandidateEvent {
  const reasons = life?.rejections?.find(({ sequence }) => sequence === event.sequence)?.reasons ?? [];
  return CandidateEvent.parse({ ...event, data: { ...event.data, externalId: life?.externalId, reasons } });
}

/**
 * The candidate's event as the event feed returns it. Nothing personal is left of an event of an erased life.
 *
 * @param life the candidate's current or last; absent if nothing is left of the candidate
 */
export function completedForFeed(event: AbridgedCandidateEvent, life: Life | undefined): CandidateFeedEvent {
  const isErased = !life || life.isErased || event.sequence < life.firstSequence;
  if (!isErased) return completed(event, life);
  return CandidateFeedEvent.parse({ ...event, data: { ...event.data, externalId: null, reasons: null } });
}
