import { type CandidateLives, maySend } from "#candidates/outbox/candidate-lives";
import { InvalidRequest, NotFound } from "#contract/errors";
import { WebhookEvent } from "#contract/events";
import { type Delivery, deliveryOf } from "#webhooks/delivery/delivery";
import type { DeliveryLog } from "#webhooks/delivery/delivery-log";
import type { WebhookEndpointRepository } from "#webhooks/endpoints/webhook-endpoint-repository";

/** How many attempts a delivery's record may hold before it is sent no more. */
const MOST_ATTEMPTS = 100;

interface Resending {
  readonly lives: Pick<CandidateLives, "find">;
  readonly endpoints: Pick<WebhookEndpointRepository, "get">;
  readonly log: Pick<DeliveryLog, "find">;
  readonly now: () => Date;
}

/**
 * A delivery of the last 30 days once more, from its first attempt: the same event id, the same bytes.
 *
 * @throws NotFound when the organisation has no such endpoint or delivery
 * @throws InvalidRequest when the endpoint is inactive, the delivery was a sample or has been tried too
 *   often, or the candidate was erased since
 */
export async function deliveryAgain(
  orgId: string,
  endpointId: string,
  eventId: string,
  { lives, endpoints, log, now }: Resending,
): Promise<Delivery> {
  const endpoint = await endpoints.get(orgId, endpointId);
  if (!endpoint.active) throw new InvalidRequest("The endpoint is inactive: make it active again first.");
  const logged = await log.find(endpointId, eventId);
  if (!logged || logged.record.orgId !== orgId) {
    throw new NotFound("The endpoint has no delivery of this event in the last 30 days.");
  }
  const { event, record } = logged;
  if (record.attempts.length >= MOST_ATTEMPTS) {
    throw new InvalidRequest(`eventId: a delivery with fewer than ${MOST_ATTEMPTS} attempts is expected`);
  }
  if (event.sample) throw new InvalidRequest("eventId: a sample is sent anew with POST …/test");
  const { stagedId, id, ...rest } = event.data;
  const life = await lives.find(orgId, stagedId);
  if (!maySend(event, life)) {
    throw new InvalidRequest("eventId: an event of a candidate that has not been erased is expected");
  }
  // The record was kept without it.
  const externalId = life?.externalId;
  const whole = WebhookEvent.parse({
    ...event,
    data: { stagedId, id, ...(externalId && { externalId }), ...rest },
  });
  return { ...deliveryOf(whole, orgId, endpointId, now()), resentAt: now().toISOString() };
}
