import { privateFunction } from "#aws/private-function";
import { IssueApiKey } from "#organisations/api-key-commands";
import { apiKeys } from "#organisations/api-keys";

export const handler = privateFunction({
  input: IssueApiKey,
  run: (request) => apiKeys.issue(request),
});
