import { Duration, Stack, Validations } from "aws-cdk-lib";
import { type IMetric, Metric, Stats } from "aws-cdk-lib/aws-cloudwatch";
import { LambdaApplication, LambdaDeploymentConfig, LambdaDeploymentGroup } from "aws-cdk-lib/aws-codedeploy";
import { Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { FilterPattern, MetricFilter } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import type { CandidatePartSweep } from "./candidate-part-sweep.ts";
import type { CandidatesApi } from "./candidates-api.ts";
import { failureRate } from "./metric-math.ts";
import type { Observability } from "./observability.ts";
import type { ServiceFunction } from "./service-function.ts";
import type { WebhookDelivery } from "./webhook-delivery.ts";

interface GradualDeploymentProps {
  readonly api: CandidatesApi;
  readonly sweep: CandidatePartSweep;
  readonly webhooks: WebhookDelivery;
  readonly observability: Observability;
  /** Whether new code receives all calls at once, whatever alarms fire. */
  readonly isUrgent: boolean;
}

/** A deployment lasts only 15 minutes, and a tenth of the calls gives enough data in one minute. */
const PERIOD = Duration.minutes(1);

/** Matches log lines that count as a fault (lib/runtime/logger.ts). Their fields become the metric's dimensions. */
const FAULT = FilterPattern.all(
  FilterPattern.stringValue("$.level", "=", "ERROR"),
  FilterPattern.exists("$.function_name"),
  FilterPattern.exists("$.function_version"),
);

/**
 * New code receives a tenth of a function's calls for 15 minutes, then all. If the new version or the API fails in that
 * time, all calls go back to the old code, and CloudFormation rolls the stack back.
 *
 * `cdk deploy -c urgent=true` deploys at once and ignores alarms: a firing alarm would otherwise block a fix.
 */
export class GradualDeployment extends Construct {
  readonly #isUrgent: boolean;
  readonly #application: LambdaApplication;
  readonly #role: Role;
  readonly #observability: Observability;

  constructor(scope: Construct, id: string, props: GradualDeploymentProps) {
    super(scope, id);
    const { api, sweep, webhooks, observability, isUrgent } = props;
    this.#isUrgent = isUrgent;
    this.#application = new LambdaApplication(this, "Application");
    this.#role = this.#codeDeployRole();
    this.#observability = observability;

    const gated = [
      ...Object.values(api.operations).filter(({ deploysGradually }) => deploysGradually),
      webhooks.publishEvents,
      webhooks.deliverWebhook,
      webhooks.deliverAside,
      webhooks.retryWebhook,
      sweep.sweepCandidateParts,
    ];
    for (const deployed of gated) {
      this.#deploy(deployed, { errors: this.#measured(deployed, "Errors"), faults: this.#faults(deployed) });
    }
    // Lambda's Errors metric also counts refused keys, so it is not used here: only logged faults are counted.
    this.#deploy(api.authorizeRequest, { faults: this.#faults(api.authorizeRequest) });
  }

  #deploy(deployed: ServiceFunction, failures: Readonly<Record<string, IMetric>>): void {
    const { id } = deployed.node;
    const failing = this.#observability.alarm(`${id}Failing`, {
      metric: failureRate({
        label: "Faults, % of calls",
        failures,
        calls: this.#measured(deployed, "Invocations"),
        period: PERIOD,
      }),
      above: 1,
      periods: 5,
      // A single fault affects only one minute, even if there are few calls.
      breaching: 2,
      description: `The new version of ${id} fails in more than 1 % of its calls: its deployment is rolled back.`,
      section: "functionfailing",
    });
    new LambdaDeploymentGroup(this, id, {
      application: this.#application,
      role: this.#role,
      alias: deployed.alias,
      alarms: this.#isUrgent ? [] : [this.#observability.serverErrors, failing],
      // A deployment that is stopped by hand would otherwise leave the alias between two versions.
      autoRollback: { stoppedDeployment: true },
      deploymentConfig: this.#isUrgent
        ? LambdaDeploymentConfig.ALL_AT_ONCE
        : LambdaDeploymentConfig.CANARY_10PERCENT_15MINUTES,
    });
  }

  /**
   * Lambda's metric for the version being deployed, among the calls of the alias. The alias is given by name: a
   * reference would create a dependency cycle with the alarm that its deployment waits for.
   */
  #measured(deployed: ServiceFunction, metricName: "Errors" | "Invocations"): IMetric {
    return new Metric({
      namespace: "AWS/Lambda",
      metricName,
      dimensionsMap: {
        FunctionName: deployed.functionName,
        Resource: `${deployed.functionName}:${deployed.alias.aliasName}`,
        ExecutedVersion: deployed.currentVersion.version,
      },
      statistic: Stats.SUM,
      period: PERIOD,
    });
  }

  /** The faults logged by the version being deployed. Most faults do not fail the invocation. */
  #faults(deployed: ServiceFunction): IMetric {
    const faults = new MetricFilter(this, `${deployed.node.id}Faults`, {
      metricNamespace: Stack.of(this).stackName,
      metricName: "Faults",
      logGroup: deployed.logGroup,
      filterPattern: FAULT,
      dimensions: { FunctionName: "$.function_name", ExecutedVersion: "$.function_version" },
    });
    return faults.metric({
      dimensionsMap: {
        FunctionName: deployed.functionName,
        ExecutedVersion: deployed.currentVersion.version,
      },
      statistic: Stats.SUM,
      period: PERIOD,
    });
  }

  #codeDeployRole(): Role {
    const role = new Role(this, "Role", { assumedBy: new ServicePrincipal("codedeploy.amazonaws.com") });
    Validations.of(role).acknowledge({
      id: "AwsSolutions::AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSCodeDeployRoleForLambdaLimited]",
      reason:
        "AWS maintains this policy for CodeDeploy to move aliases and read alarms. It is the limited one.",
    });
    return role;
  }
}
