import { Validations } from "aws-cdk-lib";
import { AwsSolutionsChecks } from "cdk-nag";
import { expect, onTestFinished, test, vi } from "vitest";
import { synthesisable } from "../infra/stacks.ts";

// What the functions are made of is not judged here, and takes seconds to bundle.
vi.mock("../../infra/bundles.ts", () => ({ bundleOf: () => "functions" }));

test("both stacks satisfy CloudFormation's and the AwsSolutions rules, with justified exceptions", () => {
  vi.stubEnv("CDK_VALIDATION", "true");
  onTestFinished(() => void vi.unstubAllEnvs());
  const { app } = synthesisable();
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  expect(() => app.synth()).not.toThrow();
});
