import { Annotations, RemovalPolicies, Stack } from "aws-cdk-lib";
import { CfnQueue } from "aws-cdk-lib/aws-sqs";
import type { Construct } from "constructs";
import { Backups } from "./backups.ts";
import { CandidatePartSweep } from "./candidate-part-sweep.ts";
import { CandidateTable } from "./candidate-table.ts";
import { CandidatesApi } from "./candidates-api.ts";
import { claimedConcurrency } from "./claimed-concurrency.ts";
import { quotaProblem } from "./concurrency.ts";
import { CostBudget } from "./cost-budget.ts";
import { EdgeProtection } from "./edge-protection.ts";
import type { EnvironmentSettings } from "./environment-settings.ts";
import { GradualDeployment } from "./gradual-deployment.ts";
import { Observability } from "./observability.ts";
import { limitParallelDeployment } from "./parallel-deployment.ts";
import { PlatformFunctions } from "./platform-functions.ts";
import { WebhookDelivery } from "./webhook-delivery.ts";

interface CandidateServiceStackProps {
  readonly settings: EnvironmentSettings;
  /** Whether new code receives all calls at once, whatever alarms fire. */
  readonly isUrgent: boolean;
}

/** The whole service of one environment. */
export class CandidateServiceStack extends Stack {
  constructor(scope: Construct, id: string, { settings, isUrgent }: CandidateServiceStackProps) {
    super(scope, id, {
      ...(settings.deployTo && { env: settings.deployTo }),
      terminationProtection: settings.retainData,
      // CloudFormation adds a stack's tags to every taggable resource in it.
      tags: { ...settings.tags, service: "candidate-service", environment: settings.name },
      description: `Candidate Management Service, ${settings.name}: intake, safe record access and lifecycle webhooks`,
    });
    annotateSettings(this, settings);
    const table = new CandidateTable(this, "CandidateTable", { settings });
    const sweep = new CandidatePartSweep(this, "PartSweep", { settings, table });
    const webhooks = new WebhookDelivery(this, "WebhookDelivery", { settings, table });
    const api = new CandidatesApi(this, "CandidatesApi", { settings, table, webhooks });
    const platform = new PlatformFunctions(this, "PlatformFunctions", { settings, table, sweep, webhooks });
    const observability = new Observability(this, "Observability", {
      settings,
      api,
      platform,
      table,
      sweep,
      webhooks,
    });
    if (settings.concurrency) {
      observability.alarm("ClaimedConcurrency", claimedConcurrency(settings.concurrency));
    }
    if (settings.edge) {
      const stage = api.restApi.deploymentStage;
      new EdgeProtection(this, "EdgeProtection", { settings, rates: settings.edge, stage, observability });
    }
    if (settings.gradualDeployment) {
      new GradualDeployment(this, "GradualDeployment", {
        api,
        sweep,
        webhooks,
        observability,
        isUrgent,
      });
    }
    if (settings.backups) {
      new Backups(this, "Backups", { retention: settings.backups, table, observability });
    }
    if (settings.budget) {
      const tag = { key: "environment", value: settings.name };
      new CostBudget(this, "CostBudget", { budget: settings.budget, tag });
    }
    if (settings.retainData) {
      // A queue that an update replaces or removes may still contain deliveries.
      RemovalPolicies.of(this).retainOnUpdateOrDelete({
        applyToResourceTypes: [CfnQueue.CFN_RESOURCE_TYPE_NAME],
      });
    }
    limitParallelDeployment(this);
  }
}

/** Reports what the settings lack. An error, unlike an exception, leaves the other environments deployable. */
function annotateSettings(stack: Stack, settings: EnvironmentSettings): void {
  const annotations = Annotations.of(stack);
  const problem = quotaProblem(settings);
  if (problem !== undefined) annotations.addError(problem);
  if (settings.retainData && !settings.alarmAddress) {
    annotations.addWarningV2(
      "CandidateService:NoAlarmAddress",
      `Nobody is notified of the alarms of ${settings.name}. Set alarmAddress in infra/environments.ts, or subscribe to the stack's topic and acknowledge this warning.`,
    );
  }
}
