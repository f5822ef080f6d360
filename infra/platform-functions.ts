import { Duration } from "aws-cdk-lib";
import { Construct } from "constructs";
import type { CandidatePartSweep } from "./candidate-part-sweep.ts";
import type { CandidateTable } from "./candidate-table.ts";
import type { EnvironmentSettings } from "./environment-settings.ts";
import { type Grant, variables } from "./grant.ts";
import { ServiceFunction } from "./service-function.ts";
import type { WebhookDelivery } from "./webhook-delivery.ts";

interface PlatformFunctionsProps {
  readonly settings: EnvironmentSettings;
  readonly table: CandidateTable;
  readonly sweep: CandidatePartSweep;
  readonly webhooks: WebhookDelivery;
}

/** The platform team's operations: functions that can be invoked only with IAM permissions. */
export class PlatformFunctions extends Construct {
  readonly #settings: EnvironmentSettings;
  readonly revokeApiKey: ServiceFunction;

  constructor(scope: Construct, id: string, props: PlatformFunctionsProps) {
    super(scope, id);
    this.#settings = props.settings;
    this.revokeApiKey = this.#keys(props);
    this.#candidates(props);
    this.#deliveries(props);
    this.#deadLetters(props);
    this.#keyring(props);
  }

  #keys({ table }: PlatformFunctionsProps): ServiceFunction {
    // Part of each key, so that a key of another environment is refused.
    const environment = variables({ ENVIRONMENT: this.#settings.name });
    this.#add(
      "IssueApiKey",
      "Issues an organisation's API key",
      environment,
      table.items("ORGANISATION", "UpdateItem"),
      table.items("KEY", "PutItem"),
    );
    this.#add("ListApiKeys", "Lists an organisation's API keys", environment, table.keysByOrganisation());
    return this.#add("RevokeApiKey", "Revokes an API key", environment, table.items("KEY", "UpdateItem"));
  }

  #candidates({ table }: PlatformFunctionsProps): void {
    this.#add(
      "AdvanceCandidate",
      "Moves a candidate along its lifecycle, sets its score or an assessment, or removes a document",
      table.items("CANDIDATE", "GetItem", "PutItem", "UpdateItem", "DeleteItem"),
    );
    this.#add(
      "InspectCandidate",
      "Shows a candidate's state",
      table.items("CANDIDATE", "GetItem"),
      table.items("ORGANISATION", "GetItem"),
    );
  }

  #deliveries({ table, webhooks }: PlatformFunctionsProps): void {
    this.#add("InspectDeliveries", "Lists webhook deliveries", table.items("ENDPOINT", "Query"));
    this.#add(
      "RedeliverEvent",
      "Resends a webhook delivery",
      table.livesOfCandidates(),
      table.items("ENDPOINT", "GetItem"),
      table.items("ENDPOINTS", "GetItem"),
      webhooks.sideQueue.sending(),
    );
    this.#add(
      "RecoverDeliveries",
      "Starts a recovery of the events that a webhook endpoint missed",
      table.items("ENDPOINTS", "GetItem"),
      table.items("ENDPOINT", "GetItem", "PutItem"),
      webhooks.recoveryQueue.sending(),
      webhooks.eventRetention,
    );
    this.#add(
      "InspectRecovery",
      "Shows the progress of a recovery",
      table.items("ENDPOINTS", "GetItem"),
      table.items("ENDPOINT", "GetItem"),
    );
  }

  #deadLetters({ table, sweep, webhooks }: PlatformFunctionsProps): void {
    this.#add(
      "ListDeadLetters",
      "Lists the messages in the dead-letter queues",
      webhooks.deadLetters.peeking(),
      webhooks.unreadableEvents.peeking(),
      sweep.unsweptParts.peeking(),
    );
    this.#add(
      "RedriveDeadLetters",
      "Redrives dead letters",
      webhooks.deadLetters.emptying(),
      webhooks.unreadableEvents.emptying(),
      sweep.unsweptParts.emptying(),
      webhooks.retryQueue.sending(),
      table.items("ENDPOINTS", "Query"),
      table.items("FEED", "PutItem"),
      webhooks.eventRetention,
      table.items("CANDIDATE", "Query", "GetItem", "DeleteItem"),
      table.stream(),
    );
  }

  #keyring({ table, webhooks: { keyring } }: PlatformFunctionsProps): void {
    this.#add(
      "RotateKeyring",
      "Adds a key that seals signing secrets from then on",
      keyring.reading(),
      keyring.replacing(),
    );
    this.#add(
      "ResealSigningSecrets",
      "Reseals secrets that were sealed with former keys, using the current key",
      keyring.reading(),
      table.endpointsBySealingKey(),
      table.items("ENDPOINTS", "GetItem", "UpdateItem"),
    );
  }

  #add(id: string, description: string, ...grants: readonly Grant[]): ServiceFunction {
    return new ServiceFunction(this, id, {
      settings: this.#settings,
      description,
      memorySize: 512,
      timeout: Duration.minutes(1),
      grants,
    });
  }
}
