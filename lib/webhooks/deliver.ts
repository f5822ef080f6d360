import { logger } from "#aws/logger";
import type { Delivery } from "#webhooks/delivery";
import type { DeliveryLog, DeliveryStatus, DeliveryTry } from "#webhooks/delivery-log";
import type { DeliveryQueue } from "#webhooks/delivery-queue";
import { FAILING_PERIOD, nextTryIn } from "#webhooks/retry-schedule";
import { signatureOf } from "#webhooks/signature";
import { previousSecretOf, type SigningSecrets } from "#webhooks/signing-secrets";
import type { TryResult, WebhookClient } from "#webhooks/webhook-client";
import type { DeliveryEndpoint, WebhookEndpointRepository } from "#webhooks/webhook-endpoint-repository";

export interface Delivering {
  readonly endpoints: Pick<WebhookEndpointRepository, "find" | "succeeded" | "failed" | "deactivate">;
  readonly signingSecrets: Pick<SigningSecrets, "open">;
  readonly queue: Pick<DeliveryQueue, "send">;
  readonly deadLetters: Pick<DeliveryQueue, "send">;
  readonly log: Pick<DeliveryLog, "record">;
  readonly client: Pick<WebhookClient, "post">;
  readonly now: () => Date;
  readonly random: () => number;
}

/** `User-Agent` of every delivery: who calls, and by which version of the contract. */
const USER_AGENT = "CandidateManagementService/1.2.0 (webhooks)";

const GONE = 410;
/** The answers whose `Retry-After` is heeded: too many requests, and unavailable. */
const ASKS_TO_WAIT = new Set([429, 503]);

/**
 * Makes the try that is due, and sees to what follows: done, another try, the dead-letter queue, or
 * nothing more because the endpoint is gone. What follows is in the queue before the message that led to
 * it is deleted, so that a crash between repeats a try and loses none.
 *
 * @throws Error when the table, the queue or the keyring fails before that: the message then comes back
 */
export async function deliver(delivery: Delivery, service: Delivering): Promise<void> {
  const { endpoints, queue, now } = service;
  if (Date.parse(delivery.dueAt) > now().getTime()) {
    await queue.send(delivery);
    return;
  }
  const endpoint = await endpoints.find(delivery.orgId, delivery.endpointId);
  if (!endpoint || (!endpoint.active && !delivery.sample)) {
    await record(delivery, { status: "dropped" }, service);
    return;
  }
  const at = now();
  const result = await post(delivery, endpoint, service);
  const lastTry: DeliveryTry = {
    attempt: delivery.attempt,
    at: at.toISOString(),
    durationMs: result.durationMs,
    ...("statusCode" in result ? { statusCode: result.statusCode } : { failure: result.failure }),
  };
  const consequence = isSuccess(result)
    ? await acknowledged(endpoint, service)
    : await refused(delivery, endpoint, result, service);
  await record(delivery, { ...consequence, lastTry }, service);
}

interface Consequence {
  readonly status: DeliveryStatus;
  readonly nextTryAt?: string;
  readonly lastTry?: DeliveryTry;
}

/** What follows is settled by now: a record that cannot be written must not repeat the try. */
async function record(delivery: Delivery, consequence: Consequence, { log }: Delivering): Promise<void> {
  const { orgId, endpointId, eventId, eventType } = delivery;
  const ids = { orgId, endpointId, eventId, eventType };
  logger.info("delivery", { ...ids, status: consequence.status, ...consequence.lastTry });
  await log
    .record(delivery, consequence)
    .catch((error: unknown) => logger.error("delivery not recorded", { ...ids, cause: error }));
}

async function post(
  { body, eventId, eventType, attempt }: Delivery,
  endpoint: DeliveryEndpoint,
  { signingSecrets, client, now }: Delivering,
): Promise<TryResult> {
  const signedWith = async (sealedSecret: string) =>
    signatureOf(body, await signingSecrets.open({ ...endpoint, sealedSecret }));
  const previousSecret = previousSecretOf(endpoint, now());
  return client.post(
    endpoint.url,
    {
      "Content-Type": "application/json",
      "User-Agent": USER_AGENT,
      "X-RR-Signature": await signedWith(endpoint.sealedSecret),
      ...(previousSecret && { "X-RR-Signature-Previous": await signedWith(previousSecret) }),
      "X-RR-Event-Id": eventId,
      "X-RR-Event-Type": eventType,
      "X-RR-Delivery-Attempt": String(attempt),
    },
    body,
  );
}

function isSuccess(result: TryResult): boolean {
  return "statusCode" in result && result.statusCode >= 200 && result.statusCode < 300;
}

async function acknowledged(endpoint: DeliveryEndpoint, { endpoints }: Delivering): Promise<Consequence> {
  await endpoints
    .succeeded(endpoint)
    .catch((error: unknown) => logger.error("success not noted", { endpointId: endpoint.id, cause: error }));
  return { status: "delivered" };
}

async function refused(
  delivery: Delivery,
  endpoint: DeliveryEndpoint,
  result: TryResult,
  { endpoints, queue, deadLetters, now, random }: Delivering,
): Promise<Consequence> {
  if (delivery.sample) return { status: "failed" };
  const statusCode = "statusCode" in result ? result.statusCode : undefined;
  if (statusCode === GONE) {
    await endpoints.deactivate(endpoint);
    return { status: "dropped" };
  }
  const failingSince = await endpoints.failed(endpoint);
  if (failingSince && now().getTime() - Date.parse(failingSince) >= FAILING_PERIOD) {
    await deadLetters.send({ ...delivery, dueAt: now().toISOString() });
    await endpoints.deactivate(endpoint);
    logger.warn("endpoint set inactive", { orgId: delivery.orgId, endpointId: delivery.endpointId });
    return { status: "failed" };
  }
  const retryAfter =
    "statusCode" in result && ASKS_TO_WAIT.has(result.statusCode) ? result.retryAfter : undefined;
  const wait = nextTryIn(delivery.attempt, retryAfter, random());
  if (wait === undefined) {
    await deadLetters.send({ ...delivery, dueAt: now().toISOString() });
    return { status: "failed" };
  }
  const nextTryAt = new Date(now().getTime() + wait).toISOString();
  await queue.send({ ...delivery, attempt: delivery.attempt + 1, dueAt: nextTryAt });
  return { status: "pending", nextTryAt };
}
