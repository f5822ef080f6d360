import { IssueApiKey } from "#api-keys/api-key-commands";
import { apiKeysOf } from "#api-keys/composition";
import { documentClient, type WithTable } from "#runtime/dynamodb";
import { privateFunction } from "#runtime/private-function";
import { runtime } from "#runtime/runtime";

export const issueApiKey = (dependencies: WithTable) => {
  const apiKeys = apiKeysOf(dependencies);
  return privateFunction({
    input: IssueApiKey,
    loggedInput: ["orgId", "newOrganisation"],
    run: (request) => apiKeys.issue(request),
    loggedOutput: ({ keyId }) => ({ keyId }),
  });
};

export const handler = issueApiKey({ ...runtime, documentClient });
