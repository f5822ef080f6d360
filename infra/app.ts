import { App } from "aws-cdk-lib";
import { isBuildFailure } from "./bundles.ts";
import { CandidateServiceStack } from "./candidate-service-stack.ts";
import { environments } from "./environments.ts";

const app = new App();
/** The local stack runs one stack, and waits for its synthesis. */
const only: unknown = app.node.tryGetContext("stack");
try {
  for (const settings of environments) {
    const name = `CandidateService-${settings.name}`;
    if (only === undefined || only === name) new CandidateServiceStack(app, name, { settings });
  }
} catch (error) {
  if (!isBuildFailure(error)) throw error;
  // esbuild has printed the error. Without this exit, the app would write the stacks that it has built so far.
  process.exit(1);
}
