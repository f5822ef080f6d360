import { Stack } from "aws-cdk-lib";
import type { Construct } from "constructs";
import { CandidateTable } from "./candidate-table.ts";
import { CandidatesApi } from "./candidates-api.ts";
import { EdgeProtection } from "./edge-protection.ts";
import type { EnvironmentSettings } from "./environments.ts";
import { Observability } from "./observability.ts";
import { PlatformFunctions } from "./platform-functions.ts";
import { WebhookDelivery } from "./webhook-delivery.ts";

interface CandidateServiceStackProps {
  readonly settings: EnvironmentSettings;
}

/** The whole service of one environment. */
export class CandidateServiceStack extends Stack {
  constructor(scope: Construct, id: string, { settings }: CandidateServiceStackProps) {
    super(scope, id, {
      terminationProtection: settings.retainData,
      description: `Candidate Management Service, ${settings.name}: intake, safe record access and lifecycle webhooks`,
    });
    const table = new CandidateTable(this, "CandidateTable", { settings });
    const webhooks = new WebhookDelivery(this, "WebhookDelivery", { settings, table });
    const api = new CandidatesApi(this, "CandidatesApi", { settings, table, webhooks });
    if (settings.edge) new EdgeProtection(this, "EdgeProtection", { rates: settings.edge, stage: api.stage });
    new PlatformFunctions(this, "PlatformFunctions", { settings, table, webhooks });
    new Observability(this, "Observability", { settings, api, table, webhooks });
  }
}
