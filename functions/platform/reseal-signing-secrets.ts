import { documentClient, type WithTable } from "#aws/dynamodb";
import { privateFunction } from "#aws/private-function";
import { runtime } from "#aws/runtime";
import { secretsManagerClient, type WithSecrets } from "#aws/secrets-manager";
import { ResealSigningSecrets } from "#webhooks/delivery-commands";
import { secretBoxOf } from "#webhooks/keyring";
import { reseal } from "#webhooks/reseal";
import { SigningSecrets } from "#webhooks/signing-secrets";
import { webhookEndpointsOf } from "#webhooks/webhook-endpoints";

/** How many endpoints one invocation seals anew, well within its time-out. */
const BATCH = 500;

export const resealSigningSecrets = (surroundings: WithTable & WithSecrets) => {
  const box = secretBoxOf(surroundings);
  const service = {
    box,
    signingSecrets: new SigningSecrets(box, surroundings),
    endpoints: webhookEndpointsOf(surroundings),
  };
  return privateFunction({
    input: ResealSigningSecrets,
    run: async () => ({ resealed: await reseal(BATCH, service) }),
  });
};

export const handler = resealSigningSecrets({ ...runtime, documentClient, secretsManagerClient });
