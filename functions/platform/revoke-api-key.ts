import { documentClient, type WithTable } from "#aws/dynamodb";
import { privateFunction } from "#aws/private-function";
import { runtime } from "#aws/runtime";
import { RevokeApiKey } from "#organisations/api-key-commands";
import { apiKeysOf } from "#organisations/api-keys";

export const revokeApiKey = (surroundings: WithTable) => {
  const apiKeys = apiKeysOf(surroundings);
  return privateFunction({
    input: RevokeApiKey,
    run: ({ keyId }) => apiKeys.revoke(keyId),
  });
};

export const handler = revokeApiKey({ ...runtime, documentClient });
