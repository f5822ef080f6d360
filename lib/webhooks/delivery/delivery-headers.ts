import { CONTRACT_VERSION } from "#contract/events";
import type { Delivery } from "#webhooks/delivery/delivery";
import { signatureOf, standardSignatureOf } from "#webhooks/endpoints/signature";

/** `User-Agent` of every delivery: the service and its version of the contract. */
const USER_AGENT = `CandidateManagementService/${CONTRACT_VERSION} (webhooks)`;

/**
 * The headers of one attempt: those of the contract ("Events"), and beside them those of Standard Webhooks 1.0.0,
 * whose signature includes the time of the attempt, so that receivers can refuse an old delivery.
 *
 * @param secrets the endpoint's signing secrets; `previous` for 24 hours after a rotation
 */
export function deliveryHeaders(
  {
    body,
    eventId,
    eventType,
    attempt,
  }: Pick<Delivery, "eventId" | "eventType" | "attempt"> & { readonly body: string },
  { current, previous }: { readonly current: string; readonly previous?: string | undefined },
  at: Date,
): Record<string, string> {
  const timestamp = Math.floor(at.getTime() / 1_000);
  const standardSignatures = [current, previous]
    .filter((each) => each !== undefined)
    .map((each) => standardSignatureOf({ eventId, timestamp, body }, each));
  return {
    "Content-Type": "application/json",
    "User-Agent": USER_AGENT,
    "X-RR-Signature": signatureOf(body, current),
    ...(previous && { "X-RR-Signature-Previous": signatureOf(body, previous) }),
    "X-RR-Event-Id": eventId,
    "X-RR-Event-Type": eventType,
    "X-RR-Delivery-Attempt": String(attempt),
    "webhook-id": eventId,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": standardSignatures.join(" "),
  };
}
