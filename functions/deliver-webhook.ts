import middy from "@middy/core";
import type { SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda";
import * as z from "zod/mini";
import { readEnvironment } from "#aws/environment";
import { logger } from "#aws/logger";
import { metrics } from "#aws/metrics";
import { sendOnceClient } from "#aws/sqs";
import { traced } from "#aws/tracer";
import { candidateLives } from "#candidates/lives";
import { deadLetter, deliver } from "#webhooks/deliver";
import { readDelivery } from "#webhooks/delivery";
import { AllowedNetworks } from "#webhooks/delivery-address";
import {
  DELIVERY_METRICS,
  type DeliveryMetric,
  type Measurements,
  measurementsOf,
} from "#webhooks/delivery-metrics";
import { DeliveryQueue } from "#webhooks/delivery-queue";
import { deliveryLog } from "#webhooks/delivery-records";
import { signingSecrets } from "#webhooks/keyring";
import { RECEIVES } from "#webhooks/retry-schedule";
import { WebhookClient } from "#webhooks/webhook-client";
import { webhookEndpoints } from "#webhooks/webhook-endpoints";

const environment = readEnvironment({
  RETRY_QUEUE_URL: z.url(),
  RETRY_QUEUE_ARN: z.string(),
  DEAD_LETTER_QUEUE_URL: z.url(),
  ALLOWED_WEBHOOK_NETWORKS: AllowedNetworks,
});

const service = {
  lives: candidateLives,
  endpoints: webhookEndpoints,
  signingSecrets,
  retryQueue: new DeliveryQueue(sendOnceClient, environment.RETRY_QUEUE_URL),
  deadLetters: new DeliveryQueue(sendOnceClient, environment.DEAD_LETTER_QUEUE_URL),
  log: deliveryLog,
  client: new WebhookClient(environment.ALLOWED_WEBHOOK_NETWORKS),
  now: () => new Date(),
  random: Math.random,
};

export const handler = middy<SQSEvent, SQSBatchResponse>()
  .before(({ context }) => logger.addContext(context))
  .handler(async ({ Records }) => {
    const outcomes = await Promise.allSettled(Records.map(handle));
    const batchItemFailures = outcomes.flatMap((outcome, index) => {
      const itemIdentifier = Records[index]?.messageId;
      if (outcome.status === "fulfilled" || !itemIdentifier) return [];
      logger.error("delivery failed", { messageId: itemIdentifier, cause: outcome.reason });
      measure({ DeliveryFaults: 1 });
      return [{ itemIdentifier }];
    });
    if (metrics.hasStoredMetrics()) metrics.publishStoredMetrics();
    return { batchItemFailures };
  });

async function handle({ body, eventSourceARN, attributes }: SQSRecord): Promise<void> {
  const delivery = readDelivery(body);
  if (!delivery) return service.deadLetters.park(body);
  const lane = eventSourceARN === environment.RETRY_QUEUE_ARN ? "retry" : "delivery";
  const { orgId, endpointId, eventId, attempt } = delivery;
  await traced("delivery", { orgId, endpointId, eventId, attempt }, async (annotate) => {
    const outcome =
      Number(attributes.ApproximateReceiveCount) > RECEIVES
        ? await deadLetter(delivery, service)
        : await deliver(delivery, service, lane);
    annotate({ outcome: outcome?.status ?? "copy" });
    if (outcome) measure(measurementsOf(delivery, outcome, service.now()));
  });
}

function measure(measurements: Measurements): void {
  for (const [name, value] of Object.entries(measurements)) {
    metrics.addMetric(name, DELIVERY_METRICS[name as DeliveryMetric], value);
  }
}
