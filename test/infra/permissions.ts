import type { Template } from "aws-cdk-lib/assertions";

/** A statement of a policy. */
export interface Statement {
  readonly Effect: string;
  readonly Action: string | string[];
  readonly Resource: unknown;
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, string[]>>>>;
}

/** The statements inside each role, by its logical id. A test verifies that no policy is beside one. */
export function permissionsIn(template: Template): [string, Statement[]][] {
  return Object.entries(template.findResources("AWS::IAM::Role")).map(([id, role]) => {
    const { Policies = [] } = role["Properties"] as {
      Policies?: { PolicyDocument: { Statement: Statement[] } }[];
    };
    return [id, Policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement)];
  });
}
