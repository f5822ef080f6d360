import { documentClient } from "#aws/dynamodb";
import { readEnvironment, TableName } from "#aws/environment";
import { privateFunction } from "#aws/private-function";
import { candidates } from "#candidates/candidates";
import { deliveryQueue } from "#webhooks/deliveries";
import { ResendDelivery } from "#webhooks/delivery-commands";
import { DeliveryLog } from "#webhooks/delivery-log";
import { deliveryAgain } from "#webhooks/resend";
import { webhookEndpoints } from "#webhooks/webhook-endpoints";

const environment = readEnvironment({ TABLE_NAME: TableName });
const service = {
  candidates,
  endpoints: webhookEndpoints,
  log: new DeliveryLog(documentClient, environment.TABLE_NAME),
  now: () => new Date(),
};

export const handler = privateFunction({
  input: ResendDelivery,
  async run({ orgId, endpointId, eventId }) {
    await deliveryQueue.send(await deliveryAgain(orgId, endpointId, eventId, service));
    return { eventId };
  },
});
