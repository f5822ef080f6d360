import { RemovalPolicy } from "aws-cdk-lib";
import type { EnvironmentSettings } from "./environment-settings.ts";

/** What becomes of a resource with data that leaves the stack, or that an update replaces. */
export function removalPolicyOf({ retainData }: EnvironmentSettings): RemovalPolicy {
  return retainData ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY;
}
