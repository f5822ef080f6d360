import { App } from "aws-cdk-lib";
import { CandidateServiceStack } from "./candidate-service-stack.ts";
import { environments } from "./environments.ts";

const app = new App();
/** The local stack runs one stack, and waits for its synthesis. */
const only: unknown = app.node.tryGetContext("stack");
for (const settings of environments) {
  const name = `CandidateService-${settings.name}`;
  if (only === undefined || only === name) new CandidateServiceStack(app, name, { settings });
}
