import { privateFunction } from "#aws/private-function";
import { ResealSigningSecrets } from "#webhooks/delivery-commands";
import { secretBox, signingSecrets } from "#webhooks/keyring";
import { reseal } from "#webhooks/reseal";
import { webhookEndpoints } from "#webhooks/webhook-endpoints";

const service = { box: secretBox, signingSecrets, endpoints: webhookEndpoints };
/** How many endpoints one invocation seals anew, well within its time-out. */
const BATCH = 500;

export const handler = privateFunction({
  input: ResealSigningSecrets,
  run: async () => ({ resealed: await reseal(BATCH, service) }),
});
