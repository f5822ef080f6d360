import { documentClient, type WithTable } from "#aws/dynamodb";
import { privateFunction } from "#aws/private-function";
import { runtime } from "#aws/runtime";
import { ListApiKeys } from "#organisations/api-key-commands";
import { apiKeysOf } from "#organisations/api-keys";

export const listApiKeys = (surroundings: WithTable) => {
  const apiKeys = apiKeysOf(surroundings);
  return privateFunction({
    input: ListApiKeys,
    run: async ({ orgId }) => ({ data: await apiKeys.list(orgId) }),
  });
};

export const handler = listApiKeys({ ...runtime, documentClient });
