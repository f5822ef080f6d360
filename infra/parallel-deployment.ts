import { CfnFunction } from "aws-cdk-lib/aws-lambda";
import type { IConstruct } from "constructs";

/**
 * The number of functions that CloudFormation creates or updates at once. It starts everything that waits for nothing
 * together, and takes several requests for a function. Lambda's control plane accepts 15 requests a second for all its
 * operations (AWS Lambda quotas, "Lambda API requests").
 */
const AT_ONCE = 10;

/**
 * Makes each function of a stack wait for the one ten before it. Aliases do not wait: their canaries run side by side.
 */
export function limitParallelDeployment(stack: IConstruct): void {
  const functions = stack.node.findAll().filter((construct) => construct instanceof CfnFunction);
  for (const [index, earlier] of functions.entries()) {
    functions[index + AT_ONCE]?.addResourceDependency(earlier);
  }
}
