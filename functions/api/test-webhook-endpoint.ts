import { sampleEvent } from "#candidates/outbox/sample-event";
import * as operations from "#contract/operations";
import { documentClient, type WithTable } from "#runtime/dynamodb";
import { operation } from "#runtime/operation";
import { runtime } from "#runtime/runtime";
import { sqsClient, type WithQueues } from "#runtime/sqs";
import { retryQueueOf } from "#webhooks/delivery/composition";
import { deliveryOf } from "#webhooks/delivery/delivery";
import { webhookEndpointsOf } from "#webhooks/endpoints/composition";

export const testWebhookEndpoint = (surroundings: WithTable & WithQueues) => {
  const retryQueue = retryQueueOf(surroundings);
  const webhookEndpoints = webhookEndpointsOf(surroundings);
  return operation(operations.testWebhookEndpoint, async ({ organisation: { orgId }, id, query }) => {
    const { eventTypes } = await webhookEndpoints.get(orgId, id);
    const event = sampleEvent(query.eventType ? [query.eventType] : eventTypes, surroundings);
    await retryQueue.send(deliveryOf(event, orgId, id, surroundings.now()));
  });
};

export const handler = testWebhookEndpoint({ ...runtime, documentClient, sqsClient });
