import { expect, test } from "vitest";
import type { LocalFunction } from "../../../local/lambda/local-function.ts";
import { issueKeys } from "../../../local/service/credentials.ts";

/** The function that issues keys; undefined is its failure. */
function issueApiKey(keyOf: (input: { orgId: string; newOrganisation: boolean }) => string | undefined) {
  return {
    definition: { name: "CandidateService-development-issue-api-key" },
    async invoke(payload: string) {
      const apiKey = keyOf(JSON.parse(payload));
      return apiKey === undefined
        ? { payload: '{"errorMessage":"failed"}', functionError: "Unhandled" }
        : { payload: JSON.stringify({ apiKey }) };
    },
  } as unknown as LocalFunction;
}

test("Organisations that exist already, as after their keys were deleted, get another key", async () => {
  const issued = await issueKeys([
    issueApiKey(({ orgId, newOrganisation }) => (newOrganisation ? undefined : `key of ${orgId}`)),
  ]);

  expect(issued.map(({ apiKey }) => apiKey)).toEqual(["key of acme-talent", "key of globex-careers"]);
});

test("A key that cannot be issued ends the start with the function's error", async () => {
  await expect(issueKeys([issueApiKey(() => undefined)])).rejects.toThrow(
    'issue-api-key failed, so no key could be issued: {"errorMessage":"failed"}',
  );
});
