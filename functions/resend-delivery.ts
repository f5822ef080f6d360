import { privateFunction } from "#aws/private-function";
import { ResendDelivery } from "#webhooks/delivery-commands";
import { resend } from "#webhooks/resending";

export const handler = privateFunction({
  input: ResendDelivery,
  async run({ orgId, endpointId, eventId }) {
    await resend(orgId, endpointId, eventId);
    return { eventId };
  },
});
