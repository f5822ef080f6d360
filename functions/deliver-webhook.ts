import middy from "@middy/core";
import type { SQSBatchResponse, SQSEvent } from "aws-lambda";
import * as z from "zod/mini";
import { documentClient } from "#aws/dynamodb";
import { readEnvironment, TableName } from "#aws/environment";
import { logger } from "#aws/logger";
import { metrics } from "#aws/metrics";
import { sqsClient } from "#aws/sqs";
import { traced } from "#aws/tracer";
import { deliver } from "#webhooks/deliver";
import { deliveryQueue } from "#webhooks/deliveries";
import { readDelivery } from "#webhooks/delivery";
import { AllowedNetworks } from "#webhooks/delivery-address";
import { DeliveryLog } from "#webhooks/delivery-log";
import {
  DELIVERY_METRICS,
  type DeliveryMetric,
  type Measurements,
  measurementsOf,
} from "#webhooks/delivery-metrics";
import { DeliveryQueue } from "#webhooks/delivery-queue";
import { signingSecrets } from "#webhooks/keyring";
import { WebhookClient } from "#webhooks/webhook-client";
import { webhookEndpoints } from "#webhooks/webhook-endpoints";

const environment = readEnvironment({
  TABLE_NAME: TableName,
  DEAD_LETTER_QUEUE_URL: z.url(),
  ALLOWED_WEBHOOK_NETWORKS: AllowedNetworks,
});

const service = {
  endpoints: webhookEndpoints,
  signingSecrets,
  queue: deliveryQueue,
  deadLetters: new DeliveryQueue(sqsClient, environment.DEAD_LETTER_QUEUE_URL),
  log: new DeliveryLog(documentClient, environment.TABLE_NAME),
  client: new WebhookClient(environment.ALLOWED_WEBHOOK_NETWORKS),
  now: () => new Date(),
  random: Math.random,
};

export const handler = middy<SQSEvent, SQSBatchResponse>()
  .before(({ context }) => logger.addContext(context))
  .handler(async ({ Records }) => {
    const outcomes = await Promise.allSettled(Records.map(({ body }) => handle(body)));
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

async function handle(messageBody: string): Promise<void> {
  const delivery = readDelivery(messageBody);
  if (!delivery) return service.deadLetters.park(messageBody);
  const { orgId, endpointId, eventId, attempt } = delivery;
  await traced("delivery", { orgId, endpointId, eventId, attempt }, async (annotate) => {
    const outcome = await deliver(delivery, service);
    annotate({ outcome: outcome.status });
    measure(measurementsOf(delivery, outcome, service.now()));
  });
}

function measure(measurements: Measurements): void {
  for (const [name, value] of Object.entries(measurements)) {
    metrics.addMetric(name, DELIVERY_METRICS[name as DeliveryMetric], value);
  }
}
