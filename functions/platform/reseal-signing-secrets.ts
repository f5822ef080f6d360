import { documentClient, type WithTable } from "#runtime/dynamodb";
import { privateFunction } from "#runtime/private-function";
import { runtime } from "#runtime/runtime";
import { secretsManagerClient, type WithSecrets } from "#runtime/secrets-manager";
import { resealServiceOf } from "#webhooks/endpoints/composition";
import { ResealSigningSecrets } from "#webhooks/endpoints/keyring-commands";
import { reseal } from "#webhooks/endpoints/reseal";

/** The most endpoints that one invocation reseals: few enough for its timeout. */
const BATCH = 500;

export const resealSigningSecrets = (dependencies: WithTable & WithSecrets) => {
  const service = resealServiceOf(dependencies);
  return privateFunction({
    input: ResealSigningSecrets,
    loggedInput: [],
    run: () => reseal(BATCH, service),
    loggedOutput: ({ resealed, unopened }) => ({ resealed, unopened }),
  });
};

export const handler = resealSigningSecrets({ ...runtime, documentClient, secretsManagerClient });
