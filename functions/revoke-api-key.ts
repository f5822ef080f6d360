import { privateFunction } from "#aws/private-function";
import { RevokeApiKey } from "#organisations/api-key-commands";
import { apiKeys } from "#organisations/api-keys";

export const handler = privateFunction({
  input: RevokeApiKey,
  run: ({ keyId }) => apiKeys.revoke(keyId),
});
