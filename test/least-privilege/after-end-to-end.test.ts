import { describe, expect, inject, test } from "vitest";
import { audit } from "./audit.ts";
import { readIamRequests } from "./recording.ts";
import { functionRolesOf } from "./roles.ts";

const recording = inject("recording");
if (!recording) {
  throw new Error("Nothing was recorded: run the end-to-end tests in the same run, as npm test does.");
}
const recorded = readIamRequests(recording.file);

const roles = functionRolesOf(recording.assembly).map((role) => [role.functionName, role] as const);

describe.each(roles)("the role of %s", (functionName, role) => {
  const requests = [...recorded.filter((request) => request.functionName === functionName), ...role.byLambda];
  const audited = audit(role.statements, requests);

  test("allows every AWS request of the function in the end-to-end tests", async () => {
    const { refused } = await audited;
    expect(refused, `Deployed, ${functionName} would be refused this. Grant it in infra/.`).toEqual([]);
  });

  // A part of the end-to-end tests cannot tell what the others use.
  test.runIf(recording.whole)(
    "allows nothing that the function did not use in the end-to-end tests",
    async () => {
      const { unused } = await audited;
      expect(
        unused,
        `${functionName} is granted this and no end-to-end test uses it. Remove the grant from infra/, or add a test to test/end-to-end/ that needs it.`,
      ).toEqual([]);
    },
  );
});
