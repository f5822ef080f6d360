import type { SQSClient } from "@aws-sdk/client-sqs";
import type { SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda";
import * as z from "zod/mini";
import { candidateLivesOf } from "#candidates/outbox/candidate-lives";
import { documentClient, type WithTable } from "#runtime/dynamodb";
import { readEnvironment } from "#runtime/environment";
import { lambdaHandler } from "#runtime/lambda-handler";
import { logger } from "#runtime/logger";
import { metrics } from "#runtime/metrics";
import { runtime } from "#runtime/runtime";
import { secretsManagerClient, type WithSecrets } from "#runtime/secrets-manager";
import { sendOnceClient } from "#runtime/sqs";
import { type Delivering, deadLetter, deliver } from "#webhooks/delivery/deliver";
import { readDelivery } from "#webhooks/delivery/delivery";
import {
  DELIVERY_METRICS,
  type DeliveryMetric,
  type Measurements,
  measurementsOf,
} from "#webhooks/delivery/delivery-metrics";
import { DeliveryQueue } from "#webhooks/delivery/delivery-queue";
import { deliveryLogOf } from "#webhooks/delivery/delivery-records";
import { RECEIVES } from "#webhooks/delivery/retry-schedule";
import { WebhookClient } from "#webhooks/delivery/webhook-client";
import { AllowedNetworks } from "#webhooks/endpoints/delivery-address";
import { signingSecretsOf } from "#webhooks/endpoints/keyring";
import { webhookEndpointsOf } from "#webhooks/endpoints/webhook-endpoints";

const QUEUES = { RETRY_QUEUE_URL: z.url(), RETRY_QUEUE_ARN: z.string(), DEAD_LETTER_QUEUE_URL: z.url() };

/** Where the function runs: what it posts to receivers with, and queues that take each message once. */
type Surroundings = WithTable &
  WithSecrets & { readonly sendOnceClient: SQSClient; readonly client: Delivering["client"] };

export const deliverWebhook = (surroundings: Surroundings) => {
  const { sendOnceClient, client, now, random } = surroundings;
  const environment = readEnvironment(QUEUES, surroundings.variables);
  const service = {
    lives: candidateLivesOf(surroundings),
    endpoints: webhookEndpointsOf(surroundings),
    signingSecrets: signingSecretsOf(surroundings),
    retryQueue: new DeliveryQueue(sendOnceClient, environment.RETRY_QUEUE_URL, now),
    deadLetters: new DeliveryQueue(sendOnceClient, environment.DEAD_LETTER_QUEUE_URL, now),
    log: deliveryLogOf(surroundings),
    client,
    now,
    random,
  };
  const handle = async ({ body, eventSourceARN, attributes }: SQSRecord): Promise<void> => {
    const delivery = readDelivery(body);
    if (!delivery) return service.deadLetters.park(body);
    const lane = eventSourceARN === environment.RETRY_QUEUE_ARN ? "retry" : "delivery";
    const outcome =
      Number(attributes.ApproximateReceiveCount) > RECEIVES
        ? await deadLetter(delivery, service)
        : await deliver(delivery, service, lane);
    if (outcome) measure(measurementsOf(delivery, outcome, service.now()));
  };
  return lambdaHandler<SQSEvent, SQSBatchResponse>()
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
};

const { ALLOWED_WEBHOOK_NETWORKS } = readEnvironment(
  { ALLOWED_WEBHOOK_NETWORKS: AllowedNetworks },
  runtime.variables,
);

export const handler = deliverWebhook({
  ...runtime,
  documentClient,
  secretsManagerClient,
  sendOnceClient,
  client: new WebhookClient(ALLOWED_WEBHOOK_NETWORKS),
});

function measure(measurements: Measurements): void {
  for (const [name, value] of Object.entries(measurements)) {
    metrics.addMetric(name, DELIVERY_METRICS[name as DeliveryMetric], value);
  }
}
