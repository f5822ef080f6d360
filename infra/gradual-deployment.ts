import { Validations } from "aws-cdk-lib";
import type { Alarm, IMetric } from "aws-cdk-lib/aws-cloudwatch";
import { LambdaApplication, LambdaDeploymentConfig, LambdaDeploymentGroup } from "aws-cdk-lib/aws-codedeploy";
import { Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { Construct } from "constructs";
import type { CandidatesApi } from "./candidates-api.ts";
import type { Observability } from "./observability.ts";
import type { PartSweep } from "./part-sweep.ts";
import type { ServiceFunction } from "./service-function.ts";
import type { WebhookDelivery } from "./webhook-delivery.ts";

interface GradualDeploymentProps {
  readonly api: CandidatesApi;
  readonly sweep: PartSweep;
  readonly webhooks: WebhookDelivery;
  readonly observability: Observability;
}

/**
 * New code takes a tenth of a function's calls for a quarter of an hour and then all; when the function fails
 * meanwhile, or the API does, the old code takes all again, and CloudFormation rolls the stack back.
 *
 * `cdk deploy -c urgent=true` deploys at once and asks no alarm: with one ringing, a repair would be refused.
 */
export class GradualDeployment extends Construct {
  readonly #urgent: boolean;
  readonly #application: LambdaApplication;
  readonly #role: Role;
  readonly #observability: Observability;

  constructor(scope: Construct, id: string, { api, sweep, webhooks, observability }: GradualDeploymentProps) {
    super(scope, id);
    this.#urgent = this.node.tryGetContext("urgent") === "true";
    this.#application = new LambdaApplication(this, "Application");
    this.#role = this.#codeDeployRole();
    this.#observability = observability;

    for (const { operation, failureRate } of api.operations) this.#deploy(operation, failureRate);
    for (const { consumer, failureRate } of webhooks.consumers) this.#deploy(consumer, failureRate);
    this.#deploy(sweep.sweepCandidateParts, sweep.failureRate);
    // It fails by design when a key is refused, so that its own errors say nothing: the API's do.
    this.#deploy(api.authorizeRequest);
  }

  #deploy(deployed: ServiceFunction, failureRate?: IMetric): void {
    const { id } = deployed.node;
    const alarms: Alarm[] = [this.#observability.serverErrors];
    if (failureRate) {
      alarms.push(
        this.#observability.alarm(`${id}Failing`, {
          metric: failureRate,
          above: 1,
          periods: 5,
          breaching: 2,
          description: `More than 1 % of ${deployed.node.id}'s calls fail: a deployment under way is rolled back.`,
          section: "functionfailing",
        }),
      );
    }
    new LambdaDeploymentGroup(this, id, {
      application: this.#application,
      role: this.#role,
      alias: deployed.alias,
      alarms: this.#urgent ? [] : alarms,
      deploymentConfig: this.#urgent
        ? LambdaDeploymentConfig.ALL_AT_ONCE
        : LambdaDeploymentConfig.CANARY_10PERCENT_15MINUTES,
    });
  }

  #codeDeployRole(): Role {
    const role = new Role(this, "Role", { assumedBy: new ServicePrincipal("codedeploy.amazonaws.com") });
    Validations.of(role).acknowledge({
      id: "AwsSolutions::AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSCodeDeployRoleForLambdaLimited]",
      reason: "The policy that AWS keeps for CodeDeploy to move aliases and read alarms; the limited one.",
    });
    return role;
  }
}
