import { type Delivery, deadLetterOf, eventOf, withoutBody } from "#webhooks/delivery/delivery";
import type { DeliveryOutcome, DeliveryService } from "#webhooks/delivery/delivery-service";
import { orLogged } from "#webhooks/delivery/or-logged";
import { nextAttemptIn } from "#webhooks/delivery/retry-schedule";
import { asksToWait, isGone } from "#webhooks/delivery/status-codes";
import type { AttemptResult } from "#webhooks/delivery/webhook-client";
import { keepsFailing } from "#webhooks/endpoints/endpoint-health";
import { retryLane } from "#webhooks/endpoints/lane";
import { LATE_AFTER_MS } from "#webhooks/endpoints/pace";
import type { StoredEndpoint } from "#webhooks/endpoints/stored-endpoint";

/** Ends a delivery with the attempt that the receiver acknowledged. */
export async function afterSuccess(
  endpoint: StoredEndpoint,
  { durationMs }: AttemptResult,
  { health }: DeliveryService,
): Promise<DeliveryOutcome> {
  await orLogged(health.succeeded(endpoint, durationMs), "success not recorded", endpoint);
  return { status: "delivered" };
}

/**
 * The next step after an attempt that failed: another attempt, or the end of the delivery. After a 410, or failures
 * for days, the endpoint becomes inactive.
 */
export async function afterFailure(
  delivery: Delivery,
  endpoint: StoredEndpoint,
  result: AttemptResult,
  service: DeliveryService,
): Promise<DeliveryOutcome> {
  const { lane, schedule, health, now } = service;
  if (lane === "side" && result.durationMs >= LATE_AFTER_MS)
    await orLogged(health.failedLate(endpoint), "late failure not recorded", endpoint);
  if (delivery.sample) return { status: "failed" };
  if ("statusCode" in result && isGone(result.statusCode)) return afterGone(delivery, endpoint, service);
  const retryAfter = "statusCode" in result && asksToWait(result.statusCode) ? result.retryAfter : undefined;
  if (retryAfter !== undefined) {
    // `Retry-After` means busy, not failing.
    await orLogged(health.askedToWait(endpoint), "request to wait not recorded", endpoint);
    return retryOrEnd(delivery, endpoint, retryAfter, service);
  }
  const failing = await orLogged(health.failed(endpoint), "failure not recorded", endpoint);
  if (failing && keepsFailing(failing, now(), schedule))
    return afterDaysOfFailure(delivery, endpoint, service);
  return retryOrEnd(delivery, endpoint, undefined, service);
}

/**
 * Skips an attempt at an inactive endpoint, which may be active again when the next one is due. After the last
 * attempt, the delivery is dropped; its record remains, and it can be resent.
 */
export async function skipAttempt(
  delivery: Delivery,
  endpoint: StoredEndpoint,
  service: DeliveryService,
): Promise<DeliveryOutcome> {
  return (await nextAttempt(delivery, endpoint, undefined, service)) ?? { status: "dropped" };
}

/** After a 410. If the endpoint has changed since the attempt began, the response says nothing about it. */
async function afterGone(
  delivery: Delivery,
  endpoint: StoredEndpoint,
  service: DeliveryService,
): Promise<DeliveryOutcome> {
  const { endpoints, health } = service;
  const disabled = await health.deactivate(endpoint, "gone", firstMissed(delivery, endpoint));
  if (disabled) return { status: "dropped", endpointSetInactive: true };
  const current = await endpoints.find(delivery.orgId, endpoint.id);
  if (!current) return { status: "dropped" };
  // Another attempt set it inactive, perhaps for a later event: what was missed may not include this one.
  if (!current.active) return skipAttempt(delivery, current, service);
  return retryOrEnd(delivery, current, undefined, service);
}

/**
 * After the failure with which an endpoint has failed for days, unless it has changed, or a success has ended the
 * failures, since the attempt began.
 */
async function afterDaysOfFailure(
  delivery: Delivery,
  endpoint: StoredEndpoint,
  service: DeliveryService,
): Promise<DeliveryOutcome> {
  const { schedule, endpoints, health, deadLetters, now } = service;
  const current = await endpoints.find(delivery.orgId, endpoint.id);
  if (!current) return { status: "dropped" };
  const isUnchanged = current.active && current.updatedAt === endpoint.updatedAt;
  if (!isUnchanged || !current.failingSince || !keepsFailing(current, now(), schedule)) {
    return retryOrEnd(delivery, current, undefined, service);
  }
  await deadLetters.send(deadLetterOf(delivery, now()));
  const endpointSetInactive = await health.deactivate(current, "failing", current.failingSince);
  if (!endpointSetInactive) {
    const repaired = await endpoints.find(delivery.orgId, endpoint.id);
    // It was changed, or an attempt succeeded, in between: the dead letter is one too many, and the delivery goes on.
    if (repaired?.active) return retryOrEnd(delivery, repaired, undefined, service);
  }
  return { status: "failed", endpointSetInactive };
}

/** Another attempt, or a dead letter after the last one. */
async function retryOrEnd(
  delivery: Delivery,
  endpoint: StoredEndpoint,
  retryAfter: number | undefined,
  service: DeliveryService,
): Promise<DeliveryOutcome> {
  const next = await nextAttempt(delivery, endpoint, retryAfter, service);
  if (next) return next;
  await service.deadLetters.send(deadLetterOf(delivery, service.now()));
  return { status: "failed" };
}

/** Stores the delivery for its next attempt, unless this was the last. */
async function nextAttempt(
  delivery: Delivery,
  endpoint: StoredEndpoint,
  retryAfter: number | undefined,
  { lane, schedule, retries, now, random }: DeliveryService,
): Promise<DeliveryOutcome | undefined> {
  const wait = nextAttemptIn(schedule, delivery.attempt, retryAfter, random());
  if (wait === undefined) return undefined;
  const nextAttemptAt = new Date(now().getTime() + wait).toISOString();
  const next = { ...withoutBody(delivery), attempt: delivery.attempt + 1, dueAt: nextAttemptAt };
  await retries.send(next, retryLane(lane, endpoint, wait));
  return { status: "pending", nextAttemptAt };
}

/** The time of the first event that an endpoint misses if this delivery's attempt makes it inactive. */
function firstMissed(delivery: Delivery, { failingSince }: StoredEndpoint): string {
  const { occurredAt } = eventOf(delivery);
  return failingSince !== undefined && failingSince < occurredAt ? failingSince : occurredAt;
}
