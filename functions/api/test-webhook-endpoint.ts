import { documentClient, type WithTable } from "#aws/dynamodb";
import { runtime } from "#aws/runtime";
import { sqsClient, type WithQueues } from "#aws/sqs";
import * as operations from "#contract/operations";
import { operation } from "#http/operation";
import { deliveryQueueOf } from "#webhooks/deliveries";
import { deliveryOf } from "#webhooks/delivery";
import { webhookEndpointsOf } from "#webhooks/webhook-endpoints";
import { sampleEvent } from "#webhooks/webhook-event";

export const testWebhookEndpoint = (surroundings: WithTable & WithQueues) => {
  const deliveryQueue = deliveryQueueOf(surroundings);
  const webhookEndpoints = webhookEndpointsOf(surroundings);
  return operation(operations.testWebhookEndpoint, async ({ organisation: { orgId }, id }) => {
    const { eventTypes } = await webhookEndpoints.get(orgId, id);
    const event = sampleEvent(eventTypes, surroundings);
    await deliveryQueue.send(deliveryOf(event, orgId, id, surroundings.now()));
  });
};

export const handler = testWebhookEndpoint({ ...runtime, documentClient, sqsClient });
