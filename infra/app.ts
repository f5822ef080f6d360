import { App } from "aws-cdk-lib";
import { CandidateServiceStack } from "./candidate-service-stack.ts";
import { environments } from "./environments.ts";

const app = new App();
for (const settings of environments) {
  new CandidateServiceStack(app, `CandidateService-${settings.name}`, { settings });
}
