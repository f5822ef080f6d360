import type { App } from "aws-cdk-lib";
import * as z from "zod";
import { EnvironmentName } from "#runtime/environment";
import { CandidateServiceStack } from "./candidate-service-stack.ts";
import { type EnvironmentSettings, Environments } from "./environment-settings.ts";
import { settings } from "./setting-values.ts";

/** Why nothing can be synthesised: every problem of the settings, a line each. */
export class InvalidSettings extends Error {
  override readonly name = "InvalidSettings";
}

function stackNameOf(name: EnvironmentName): string {
  return `CandidateService-${name}`;
}

/** The app's own context: `cdk deploy -c urgent=true`. */
const Context = settings({
  /** Synthesise this stack only. The local stack runs one stack, and waits for its synthesis. */
  stack: z.enum(EnvironmentName.options.map(stackNameOf)).exactOptional(),
  /** Deploy at once, whatever alarms fire; see gradual-deployment.ts. */
  urgent: z
    .stringbool({ truthy: ["true"], falsy: ["false"], error: '"true" or "false" is expected' })
    .default(false),
});

const Synthesis = z.object({ environments: Environments, context: Context });

/**
 * Names of the app's context are words. Those of CDK's own contain other characters, as `aws:cdk:…` and
 * `cli-telemetry`.
 */
const WORD = /^[a-z]+$/i;

/**
 * Adds the stack of each environment to an app, or only the one that the context names.
 *
 * @throws InvalidSettings before any stack is added
 */
export function environmentStacks(
  app: App,
  environments: readonly EnvironmentSettings[],
): CandidateServiceStack[] {
  const words = Object.entries(app.node.getAllContext()).filter(([name]) => WORD.test(name));
  const { environments: valid, context } = validated({ environments, context: Object.fromEntries(words) });
  const { stack, urgent: isUrgent } = context;
  return valid
    .filter(({ name }) => stack === undefined || stack === stackNameOf(name))
    .map((each) => new CandidateServiceStack(app, stackNameOf(each.name), { settings: each, isUrgent }));
}

function validated(given: unknown): z.output<typeof Synthesis> {
  const { data, error } = Synthesis.safeParse(given, { error: expectedValues, reportInput: true });
  if (data) return data;
  const problems = error.issues.map(({ path, message, input }) => {
    const missing = input === undefined ? "missing; " : "";
    return `- ${z.core.toDotPath(path)}: ${missing}${message}`;
  });
  throw new InvalidSettings(
    [
      "Correct these settings (environments: infra/environments.ts, context: option -c or cdk.json):",
      ...new Set(problems),
    ].join("\n"),
  );
}

/** The message of enumerations, those of lib included. */
function expectedValues(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code !== "invalid_value") return undefined;
  return `${issue.values.map((value) => JSON.stringify(value)).join(" or ")} is expected`;
}
