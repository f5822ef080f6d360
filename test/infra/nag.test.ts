import { Validations } from "aws-cdk-lib";
import { AwsSolutionsChecks } from "cdk-nag";
import { expect, test } from "vitest";
import { synthesisable } from "./stacks.ts";

test("both stacks keep the AwsSolutions rules, but for what is acknowledged with its reason", () => {
  const { app } = synthesisable();
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  expect(() => app.synth()).not.toThrow();
});
