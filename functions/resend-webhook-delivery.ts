import { accepted } from "#http/answers";
import { operation } from "#http/operation";
import { resend } from "#webhooks/resending";

export const handler = operation({
  operationId: "resendWebhookDelivery",
  async run({ organisation: { orgId }, id, eventId }) {
    await resend(orgId, id, eventId);
    return accepted();
  },
});
