import { documentClient, type WithTable } from "#aws/dynamodb";
import { privateFunction } from "#aws/private-function";
import { runtime } from "#aws/runtime";
import { IssueApiKey } from "#organisations/api-key-commands";
import { apiKeysOf } from "#organisations/api-keys";

export const issueApiKey = (surroundings: WithTable) => {
  const apiKeys = apiKeysOf(surroundings);
  return privateFunction({
    input: IssueApiKey,
    run: (request) => apiKeys.issue(request),
  });
};

export const handler = issueApiKey({ ...runtime, documentClient });
