import { type CandidateLives, maySend } from "#candidates/outbox/candidate-lives";
import { InvalidRequest, NotFound } from "#contract/errors";
import { isEndpointEvent } from "#contract/events";
import { type Delivery, resentDelivery } from "#webhooks/delivery/delivery";
import type { DeliveryLog } from "#webhooks/delivery/delivery-log";
import type { DeliveryQueue } from "#webhooks/delivery/delivery-queue";
import { assertActive } from "#webhooks/endpoints/stored-endpoint";
import type { WebhookEndpointRepository } from "#webhooks/endpoints/webhook-endpoint-repository";

/** The number of attempts in a delivery's record from which it cannot be resent. */
export const MOST_ATTEMPTS = 100;

export interface ResendService {
  readonly lives: Pick<CandidateLives, "find">;
  readonly endpoints: Pick<WebhookEndpointRepository, "get">;
  readonly log: Pick<DeliveryLog, "find">;
  readonly queue: Pick<DeliveryQueue, "send">;
  readonly now: () => Date;
}

/**
 * Sends a delivery of the last 30 days again, from its first attempt: same event id, same bytes.
 *
 * @returns the delivery as it was queued
 * @throws NotFound if the organisation has no such endpoint or delivery
 * @throws InvalidRequest if the endpoint is inactive, the delivery was a sample or has had too many attempts, or
 *   the candidate has been erased since
 */
export async function resend(
  orgId: string,
  endpointId: string,
  eventId: string,
  { lives, endpoints, log, queue, now }: ResendService,
): Promise<Delivery> {
  assertActive(await endpoints.get(orgId, endpointId));
  const logged = await log.find(endpointId, eventId);
  if (!logged || logged.record.orgId !== orgId) {
    throw new NotFound(
      "The endpoint has no delivery of this event in the last 30 days. List its deliveries to find one.",
    );
  }
  const { event, record } = logged;
  if (record.attempts.length >= MOST_ATTEMPTS) {
    throw new InvalidRequest(`eventId: a delivery with fewer than ${MOST_ATTEMPTS} attempts is expected`);
  }
  if (event.sample) throw new InvalidRequest("eventId: the event is a sample: send another with POST …/test");
  if (!isEndpointEvent(event) && !maySend(event, await lives.find(orgId, event.data.stagedId))) {
    throw new InvalidRequest(
      "eventId: an event of a candidate that has been neither erased nor created again since is expected",
    );
  }
  const resentAt = now();
  const delivery = resentDelivery(event, { orgId, endpointId, resentAt, dueAt: resentAt });
  await queue.send(delivery);
  return delivery;
}
