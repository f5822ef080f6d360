import { completed } from "#candidates/outbox/abridged-event";
import { maySend } from "#candidates/outbox/candidate-lives";
import { isEndpointEvent } from "#contract/events";
import type { DeliveryAttempt } from "#contract/webhook-delivery";
import { allOf } from "#runtime/all-of";
import { logger } from "#runtime/logger";
import {
  type Delivery,
  deadLetterOf,
  eventOf,
  idsOf,
  isPrompt,
  withoutBody,
} from "#webhooks/delivery/delivery";
import { deliveryHeaders } from "#webhooks/delivery/delivery-headers";
import type { LoggedDelivery } from "#webhooks/delivery/delivery-log";
import type { DeliveryOutcome, DeliveryService } from "#webhooks/delivery/delivery-service";
import { afterFailure, afterSuccess, skipAttempt } from "#webhooks/delivery/next-step";
import { orLogged } from "#webhooks/delivery/or-logged";
import { isSuccess } from "#webhooks/delivery/status-codes";
import type { AttemptResult } from "#webhooks/delivery/webhook-client";
import { type LaterLane, laneOf, laterLane, TIMEOUTS_MS } from "#webhooks/endpoints/lane";
import { LATE_AFTER_MS } from "#webhooks/endpoints/pace";
import { previousSecretOf } from "#webhooks/endpoints/signing-secrets";
import type { StoredEndpoint } from "#webhooks/endpoints/stored-endpoint";

/**
 * How early an attempt may be made, in ms. SQS delays a message in whole seconds, rounded up. A message that arrives
 * slightly early was delayed according to another clock, and sending it back would cost a second.
 */
const CLOCK_SKEW_MS = 500;

/**
 * Makes the attempt that is due and handles its outcome: delivered, another attempt, the dead-letter queue, or dropped
 * because the endpoint is gone or the event belongs to an erased life. A delivery to an endpoint that belongs in a
 * later lane moves there, with the same attempt. While an endpoint is inactive, its attempts are skipped. The next
 * step is stored before the current message is deleted, so a crash in between repeats an attempt and loses none.
 * Duplicates, caused by this or by SQS, are recognised by the delivery's record, which is read before a retry and
 * before each attempt from the retry queue.
 *
 * @returns undefined when the message was a duplicate, and nothing was done
 * @throws Error when the table, a queue or the keyring fails before the next step is stored: the message is redelivered
 */
export async function deliver(
  delivery: Delivery,
  service: DeliveryService,
): Promise<DeliveryOutcome | undefined> {
  const { lane, endpoints, log, now } = service;
  if (Date.parse(delivery.dueAt) - CLOCK_SKEW_MS > now().getTime()) return moveTo("retry", delivery, service);
  // A read that outlasted the invocation would be shared after the thaw (shared-read.ts), with what it read before.
  const [endpoint, logged, body] = await allOf([
    endpoints.find(delivery.orgId, delivery.endpointId),
    lane === "retry" || delivery.attempt > 1 ? log.find(delivery.endpointId, delivery.eventId) : undefined,
    bodyOf(delivery, service),
  ]);
  if (isDuplicate(delivery, logged)) return dropDuplicate(delivery);
  if (body === undefined) return record(delivery, { status: "dropped", reason: "candidate_erased" }, service);
  if (!endpoint) return record(delivery, { status: "dropped" }, service);
  if (!endpoint.active && !delivery.sample) {
    return record(delivery, await skipAttempt(delivery, endpoint, service), service);
  }
  const later = laterLane(lane, endpoint);
  return later ? moveTo(later, delivery, service) : attempt(delivery, body, endpoint, service);
}

/** Posts the body, and handles the result. An attempt that was cut is neither counted nor recorded. */
async function attempt(
  delivery: Delivery,
  body: string,
  endpoint: StoredEndpoint,
  service: DeliveryService,
): Promise<DeliveryOutcome> {
  const { lane, health, now } = service;
  const at = now();
  const result = await post({ ...delivery, body }, endpoint, at, service);
  if (lane !== "retry" && isTimeout(result)) {
    logger.info("attempt cut", { ...idsOf(delivery), lane, durationMs: result.durationMs });
    await orLogged(health.cut(endpoint, lane), "cut not recorded", endpoint);
    return { ...(await moveTo("retry", delivery, service)), attemptCut: true };
  }
  const lastAttempt: DeliveryAttempt = {
    attempt: delivery.attempt,
    at: at.toISOString(),
    durationMs: result.durationMs,
    ...("statusCode" in result ? { statusCode: result.statusCode } : { failure: result.failure }),
  };
  const outcome = isSuccess(lastAttempt.statusCode)
    ? await afterSuccess(endpoint, result, service)
    : await afterFailure(delivery, endpoint, result, service);
  return record(delivery, { ...outcome, lastAttempt }, service);
}

/**
 * Ends a delivery that faults of the service have returned to the queue too often. The record is written first: if
 * that fails, the message is received again, and no attempt is repeated because none was made.
 *
 * @returns undefined when the message was a duplicate, and nothing was done
 * @throws Error when the table or the queue fails: the message is then received again
 */
export async function deadLetter(
  delivery: Delivery,
  { log, deadLetters, now }: Pick<DeliveryService, "log" | "deadLetters" | "now">,
): Promise<DeliveryOutcome | undefined> {
  if (isDuplicate(delivery, await log.find(delivery.endpointId, delivery.eventId)))
    return dropDuplicate(delivery);
  await log.record(delivery, { status: "failed" });
  await deadLetters.send(deadLetterOf(delivery, now()));
  logger.error("delivery dead-lettered", idsOf(delivery));
  return { status: "failed" };
}

/**
 * The text that an attempt posts, or undefined if the event belongs to an erased life and must no longer be sent. A
 * first attempt soon after the event, unless from the retry queue, posts the text in its message without a lookup, so
 * that an ordinary delivery takes one read. A sample and an endpoint's event belong to no candidate.
 */
async function bodyOf(
  delivery: Delivery,
  { lane, lives, now }: DeliveryService,
): Promise<string | undefined> {
  const { body, sample } = delivery;
  if (body !== undefined && (sample || (lane !== "retry" && isPrompt(delivery, now())))) return body;
  const event = eventOf(delivery);
  if (isEndpointEvent(event)) return body ?? JSON.stringify(event);
  const life = await lives.find(delivery.orgId, event.data.stagedId);
  if (!maySend(event, life)) return undefined;
  return body ?? JSON.stringify(completed(event, life));
}

/**
 * Whether this attempt was already made, or another one succeeded, since the delivery began. The attempt that the
 * record expects next is never a duplicate: an earlier attempt with the same number may belong to another run.
 */
function isDuplicate(
  { attempt, dueAt, resentAt = "" }: Delivery,
  logged: LoggedDelivery | undefined,
): boolean {
  if (logged?.record.status === "pending" && logged.record.nextAttemptAt === dueAt) return false;
  const made = logged?.record.attempts.filter(({ at }) => at >= resentAt) ?? [];
  return made.some((each) => each.attempt === attempt || isSuccess(each.statusCode));
}

function dropDuplicate(delivery: Delivery): undefined {
  logger.info("duplicate dropped", idsOf(delivery));
}

/** Sends a delivery to the queue of a later lane, with the same attempt. */
export async function moveTo(
  later: LaterLane,
  delivery: Delivery,
  { retries }: Pick<DeliveryService, "retries">,
): Promise<DeliveryOutcome> {
  await retries.send(withoutBody(delivery), later);
  return { status: "pending", nextAttemptAt: delivery.dueAt };
}

/** The next step is already queued, so a record that cannot be written must not repeat the attempt. */
async function record(
  delivery: Delivery,
  outcome: DeliveryOutcome,
  { lane, log }: DeliveryService,
): Promise<DeliveryOutcome> {
  const ids = idsOf(delivery);
  const { status, reason, lastAttempt } = outcome;
  logger.info("delivery", { ...ids, lane, outcome: status, ...(reason && { reason }), ...lastAttempt });
  if (outcome.endpointSetInactive) logger.warn("endpoint set inactive", ids);
  await log
    .record(delivery, outcome)
    .catch((error: unknown) => logger.error("delivery not recorded", { ...ids, cause: error }));
  return outcome;
}

/** The secrets that sign an attempt: the endpoint's own and, for a day after a rotation, the one before it. */
async function secretsOf(endpoint: StoredEndpoint, at: Date, { signingSecrets }: DeliveryService) {
  const open = (sealedSecret: string) => signingSecrets.open({ ...endpoint, sealedSecret });
  const previousSecret = previousSecretOf(endpoint, at);
  return {
    current: await open(endpoint.sealedSecret),
    previous: previousSecret && (await open(previousSecret)),
  };
}

/**
 * Posts the body. An endpoint that responds fast is suspected as soon as its response is late, while the attempt goes
 * on: from then on, other deliveries to it use the side queue.
 */
async function post(
  delivery: Delivery & { readonly body: string },
  endpoint: StoredEndpoint,
  at: Date,
  service: DeliveryService,
): Promise<AttemptResult> {
  const { lane, client, health } = service;
  const headers = deliveryHeaders(delivery, await secretsOf(endpoint, at, service), at);
  let suspicion: Promise<unknown> | undefined;
  const suspect = () => {
    suspicion = orLogged(health.suspected(endpoint), "suspicion not recorded", endpoint);
  };
  const canBeSuspected = lane !== "retry" && laneOf(endpoint) === "delivery";
  const result = await client.post(endpoint.url, headers, delivery.body, {
    timeout: TIMEOUTS_MS[lane],
    ...(canBeSuspected && { late: { after: LATE_AFTER_MS, report: suspect } }),
  });
  await suspicion;
  return result;
}

function isTimeout(result: AttemptResult): boolean {
  return "failure" in result && result.failure === "timeout";
}
