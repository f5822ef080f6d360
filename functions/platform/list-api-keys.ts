import { ListApiKeys } from "#api-keys/api-key-commands";
import { apiKeysOf } from "#api-keys/composition";
import { documentClient, type WithTable } from "#runtime/dynamodb";
import { privateFunction } from "#runtime/private-function";
import { runtime } from "#runtime/runtime";

export const listApiKeys = (dependencies: WithTable) => {
  const apiKeys = apiKeysOf(dependencies);
  return privateFunction({
    input: ListApiKeys,
    loggedInput: ["orgId"],
    run: async ({ orgId }) => ({ data: await apiKeys.list(orgId) }),
    loggedOutput: ({ data }) => ({ listed: data.length }),
  });
};

export const handler = listApiKeys({ ...runtime, documentClient });
