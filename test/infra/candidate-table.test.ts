import { Stack } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { expect, test } from "vitest";
import { CandidateTable } from "../../infra/candidate-table.ts";
import { type EnvironmentSettings, environments } from "../../infra/environments.ts";

const production = environments.find(({ name }) => name === "production");
if (!production) throw new Error("There is a production environment.");

interface TableResource {
  readonly Properties: { readonly TableName?: string };
}

function tableOf(settings: EnvironmentSettings): [string, TableResource] {
  const stack = new Stack();
  new CandidateTable(stack, "CandidateTable", { settings });
  const [table] = Object.entries(Template.fromStack(stack).findResources("AWS::DynamoDB::Table"));
  return table as [string, TableResource];
}

test("a restored table is imported as it is, and the one before is not touched", () => {
  const [ownId, own] = tableOf(production);
  const [restoredId, restored] = tableOf({ ...production, restoredTable: "candidates-restored" });

  expect(restoredId).not.toBe(ownId);
  expect(restored).toEqual({
    ...own,
    Properties: { ...own.Properties, TableName: "candidates-restored" },
  });
  // CloudFormation imports no resource without one, and leaves the table before where it is.
  expect(own).toMatchObject({ DeletionPolicy: "Retain" });
});
