import { handlesOf } from "#candidates/handles";
import { CONTRACT_VERSION, EVENT_TYPES, type EventType, WebhookEvent } from "#contract/events";
import { newEventId } from "#contract/identifiers";
import type { Runtime } from "#runtime/runtime";

/** An invented event of the first type an endpoint is subscribed to, marked as a sample. */
export function sampleEvent(
  [type = EVENT_TYPES[0]]: readonly EventType[],
  sources: Pick<Runtime, "now" | "randomBytes">,
): WebhookEvent {
  const now = sources.now();
  const handles = handlesOf("0".repeat(26), {
    promotedAt: type === "candidate.promoted" ? now.toISOString() : undefined,
  });
  const statuses = {
    "candidate.received": ["received", "in_review", "pending"],
    "candidate.verified": ["verified", "verified", "pending"],
    "candidate.promoted": ["promoted", "verified", "available"],
    "candidate.validation_failed": ["validation_failed", "in_review", "pending"],
    "candidate.consent_revoked": ["consent_revoked", "in_review", "pending"],
    "candidate.consent_restored": ["received", "in_review", "pending"],
    "candidate.erased": ["erased"],
  } as const;
  const [status, verificationStatus, availabilityStatus] = statuses[type];
  return WebhookEvent.parse({
    id: newEventId(sources),
    type,
    apiVersion: CONTRACT_VERSION,
    occurredAt: now.toISOString(),
    sequence: 1,
    sample: true,
    data: {
      ...handles,
      status,
      ...(type !== "candidate.erased" && { externalId: "sample", verificationStatus, availabilityStatus }),
      ...(type === "candidate.validation_failed" && {
        reasons: [{ code: "sample", message: "A sample reason." }],
      }),
    },
  });
}
