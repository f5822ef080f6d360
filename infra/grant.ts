import { Effect, PolicyStatement } from "aws-cdk-lib/aws-iam";

/** What a function may do, and the environment variables by which it finds what it does that to. */
export interface Grant {
  readonly statements: readonly PolicyStatement[];
  readonly environment: Readonly<Record<string, string>>;
}

/** Lets a function do this to one resource. */
export function allow(resource: string, ...actions: readonly string[]): PolicyStatement {
  return new PolicyStatement({ effect: Effect.ALLOW, actions: [...actions], resources: [resource] });
}

/** Environment variables that come with no permission. */
export function setting(environment: Readonly<Record<string, string>>): Grant {
  return { statements: [], environment };
}
