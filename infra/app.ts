import { App } from "aws-cdk-lib";
import { isBuildFailure } from "./bundles.ts";
import { environmentStacks, InvalidSettings } from "./environment-stacks.ts";
import { environments } from "./environments.ts";

try {
  environmentStacks(new App(), environments);
} catch (error) {
  if (error instanceof InvalidSettings) process.stderr.write(`${error.message}\n`);
  // esbuild has printed the error.
  else if (!isBuildFailure(error)) throw error;
  // Without this exit, the app would write the stacks that it has built so far.
  process.exit(1);
}
