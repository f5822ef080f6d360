import { Effect, PolicyStatement } from "aws-cdk-lib/aws-iam";

/** Permissions of a function, and the environment variables that identify the resources. */
export interface Grant {
  readonly statements: readonly PolicyStatement[];
  readonly environment: Readonly<Record<string, string>>;
}

/** Allows a function these actions on one resource. */
export function allow(resource: string, ...actions: readonly string[]): PolicyStatement {
  return new PolicyStatement({ effect: Effect.ALLOW, actions: [...actions], resources: [resource] });
}

/** Environment variables without permissions. */
export function variables(environment: Readonly<Record<string, string>>): Grant {
  return { statements: [], environment };
}
