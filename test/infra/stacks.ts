import { readFileSync } from "node:fs";
import { App } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { CandidateServiceStack } from "../../infra/candidate-service-stack.ts";
import { type EnvironmentSettings, environments } from "../../infra/environments.ts";

/** The CDK app as `cdk synth` makes it, feature flags included; `-c` options are `options`. */
export function synthesisable(
  options: Readonly<Record<string, string>> = {},
  of: readonly EnvironmentSettings[] = environments,
): {
  app: App;
  stacks: CandidateServiceStack[];
} {
  const { context } = JSON.parse(readFileSync("cdk.json", "utf8")) as { context: Record<string, unknown> };
  const app = new App({ context: { ...context, ...options } });
  const stacks = of.map(
    (settings) => new CandidateServiceStack(app, `CandidateService-${settings.name}`, { settings }),
  );
  return { app, stacks };
}

/** Each environment's name and template. */
export function templates(): [string, Template][] {
  return synthesisable().stacks.map((stack) => [stack.stackName, Template.fromStack(stack)]);
}
