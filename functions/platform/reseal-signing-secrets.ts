import { documentClient, type WithTable } from "#runtime/dynamodb";
import { privateFunction } from "#runtime/private-function";
import { runtime } from "#runtime/runtime";
import { secretsManagerClient, type WithSecrets } from "#runtime/secrets-manager";
import { sealedSecretsOf, secretBoxOf, webhookEndpointsOf } from "#webhooks/endpoints/composition";
import { ResealSigningSecrets } from "#webhooks/endpoints/keyring-commands";
import { reseal } from "#webhooks/endpoints/reseal";
import { SigningSecrets } from "#webhooks/endpoints/signing-secrets";

/** The most endpoints that one invocation reseals: few enough for its timeout. */
const BATCH = 500;

export const resealSigningSecrets = (dependencies: WithTable & WithSecrets) => {
  const box = secretBoxOf(dependencies);
  const service = {
    box,
    signingSecrets: new SigningSecrets(box, dependencies),
    endpoints: webhookEndpointsOf(dependencies),
    sealedSecrets: sealedSecretsOf(dependencies),
  };
  return privateFunction({
    input: ResealSigningSecrets,
    run: async () => ({ resealed: await reseal(BATCH, service) }),
  });
};

export const handler = resealSigningSecrets({ ...runtime, documentClient, secretsManagerClient });
