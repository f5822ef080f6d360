import { readFileSync } from "node:fs";
import { App } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import type { CandidateServiceStack } from "../../infra/candidate-service-stack.ts";
import type { EnvironmentSettings } from "../../infra/environment-settings.ts";
import { environmentStacks } from "../../infra/environment-stacks.ts";
import { environments } from "../../infra/environments.ts";

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
  return { app, stacks: environmentStacks(app, of) };
}

/** The settings of an environment. */
export function settingsOf(name: EnvironmentSettings["name"]): EnvironmentSettings {
  const settings = environments.find((each) => each.name === name);
  if (!settings) throw new Error(`There is no environment ${name}.`);
  return settings;
}

/** The stack of an environment with these settings: its constructs, without the seconds that a synthesis takes. */
export function stackOf(settings: EnvironmentSettings): CandidateServiceStack {
  const [stack] = synthesisable({}, [settings]).stacks;
  if (!stack) throw new Error("Each environment has a stack.");
  return stack;
}

/** The template of an environment with these settings. */
export function templateOf(settings: EnvironmentSettings): Template {
  return Template.fromStack(stackOf(settings));
}
