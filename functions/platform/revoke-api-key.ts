import { RevokeApiKey } from "#api-keys/api-key-commands";
import { apiKeysOf } from "#api-keys/composition";
import { documentClient, type WithTable } from "#runtime/dynamodb";
import { privateFunction } from "#runtime/private-function";
import { runtime } from "#runtime/runtime";

export const revokeApiKey = (dependencies: WithTable) => {
  const apiKeys = apiKeysOf(dependencies);
  return privateFunction({
    input: RevokeApiKey,
    loggedInput: ["keyId"],
    run: ({ keyId }) => apiKeys.revoke(keyId),
    loggedOutput: ({ orgId }) => ({ orgId }),
  });
};

export const handler = revokeApiKey({ ...runtime, documentClient });
