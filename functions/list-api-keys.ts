import { privateFunction } from "#aws/private-function";
import { ListApiKeys } from "#organisations/api-key-commands";
import { apiKeys } from "#organisations/api-keys";

export const handler = privateFunction({
  input: ListApiKeys,
  run: async ({ orgId }) => ({ data: await apiKeys.list(orgId) }),
});
