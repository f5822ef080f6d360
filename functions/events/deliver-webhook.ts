import { documentClient } from "#runtime/dynamodb";
import { readEnvironment } from "#runtime/environment";
import { queueConsumer } from "#runtime/queue-consumer";
import { runtime } from "#runtime/runtime";
import { secretsManagerClient } from "#runtime/secrets-manager";
import { sendOnceClient } from "#runtime/sqs";
import { type DeliverySurroundings, deliverMessageServiceOf } from "#webhooks/delivery/composition";
import { deliverMessage } from "#webhooks/delivery/deliver-message";
import { WebhookClient } from "#webhooks/delivery/webhook-client";
import { AllowedNetworks } from "#webhooks/endpoints/delivery-address";

export const deliverWebhook = (surroundings: DeliverySurroundings) => {
  const service = deliverMessageServiceOf(surroundings);
  return queueConsumer({
    failure: "delivery failed",
    run: (message) => deliverMessage(message, service),
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
