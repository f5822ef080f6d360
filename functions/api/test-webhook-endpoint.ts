import { EVENT_TYPES } from "#contract/events";
import * as operations from "#contract/operations";
import { documentClient, type WithTable } from "#runtime/dynamodb";
import { operation } from "#runtime/operation";
import { runtime } from "#runtime/runtime";
import { sqsClient, type WithQueues } from "#runtime/sqs";
import { sideQueueOf } from "#webhooks/delivery/composition";
import { deliveryOf } from "#webhooks/delivery/delivery";
import { sampleOf } from "#webhooks/delivery/sample";
import { webhookEndpointsOf } from "#webhooks/endpoints/composition";

export const testWebhookEndpoint = (dependencies: WithTable & WithQueues) => {
  const sideQueue = sideQueueOf(dependencies);
  const webhookEndpoints = webhookEndpointsOf(dependencies);
  return operation(operations.testWebhookEndpoint, async ({ organisation: { orgId }, id, query }) => {
    const { eventTypes } = await webhookEndpoints.get(orgId, id);
    const [firstType = EVENT_TYPES[0]] = eventTypes;
    const event = sampleOf(query.eventType ?? firstType, dependencies);
    await sideQueue.send(deliveryOf(event, orgId, id, dependencies.now()));
  });
};

export const handler = testWebhookEndpoint({ ...runtime, documentClient, sqsClient });
