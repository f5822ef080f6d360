import { Duration } from "aws-cdk-lib";
import { Construct } from "constructs";
import { LIFE_ATTRIBUTES } from "#candidates/candidate-lives";
import type { CandidateTable } from "./candidate-table.ts";
import type { EnvironmentSettings } from "./environments.ts";
import type { PartSweep } from "./part-sweep.ts";
import { ServiceFunction } from "./service-function.ts";
import type { WebhookDelivery } from "./webhook-delivery.ts";

interface PlatformFunctionsProps {
  readonly settings: EnvironmentSettings;
  readonly table: CandidateTable;
  readonly sweep: PartSweep;
  readonly webhooks: WebhookDelivery;
}

/** What the platform team does by invoking a function, with IAM as the only way in. */
export class PlatformFunctions extends Construct {
  constructor(scope: Construct, id: string, { settings, table, sweep, webhooks }: PlatformFunctionsProps) {
    super(scope, id);
    const platformFunction = (
      functionId: string,
      name: string,
      description: string,
      environment: Readonly<Record<string, string>> = {},
    ) =>
      new ServiceFunction(this, functionId, {
        settings,
        name,
        description,
        memorySize: 512,
        timeout: Duration.minutes(1),
        environment: { TABLE_NAME: table.tableName, ENVIRONMENT: settings.name, ...environment },
      });

    const issueApiKey = platformFunction("IssueApiKey", "issue-api-key", "Issues an organisation's API key");
    table.allow(issueApiKey, "ORGANISATION", "UpdateItem");
    table.allow(issueApiKey, "KEY", "PutItem");

    const listApiKeys = platformFunction("ListApiKeys", "list-api-keys", "Lists an organisation's API keys");
    table.allowKeyListing(listApiKeys);

    const revokeApiKey = platformFunction("RevokeApiKey", "revoke-api-key", "Revokes an API key");
    table.allow(revokeApiKey, "KEY", "UpdateItem");

    const advanceCandidate = platformFunction(
      "AdvanceCandidate",
      "advance-candidate",
      "Moves a candidate along its lifecycle, or sets its score or an assessment",
    );
    table.allow(advanceCandidate, "CANDIDATE", "GetItem", "PutItem", "UpdateItem", "DeleteItem");

    const showCandidate = platformFunction("ShowCandidate", "show-candidate", "Shows a candidate's state");
    table.allow(showCandidate, "CANDIDATE", "GetItem");
    table.allow(showCandidate, "ORGANISATION", "GetItem");

    const listDeliveries = platformFunction("ListDeliveries", "list-deliveries", "Lists webhook deliveries");
    table.allow(listDeliveries, "ENDPOINT", "Query");

    const resendDelivery = platformFunction(
      "ResendDelivery",
      "resend-delivery",
      "Repeats a webhook delivery",
      {
        DELIVERY_QUEUE_URL: webhooks.deliveryQueue.queueUrl,
      },
    );
    table.allowReadingOfCandidates(resendDelivery, LIFE_ATTRIBUTES);
    table.allow(resendDelivery, "ENDPOINT", "GetItem");
    table.allow(resendDelivery, "ORGANISATION", "GetItem");
    resendDelivery.allowSendingTo(webhooks.deliveryQueue);

    const deadLetterQueues = {
      DEAD_LETTER_QUEUE_URL: webhooks.deadLetters.queueUrl,
      UNREADABLE_EVENTS_QUEUE_URL: webhooks.unreadableEvents.queueUrl,
      UNSWEPT_PARTS_QUEUE_URL: sweep.unsweptParts.queueUrl,
    };
    const listDeadLetters = platformFunction(
      "ListDeadLetters",
      "list-dead-letters",
      "Lists what waits in the dead-letter queues",
      deadLetterQueues,
    );
    listDeadLetters.allowPeekingInto(webhooks.deadLetters);
    listDeadLetters.allowPeekingInto(webhooks.unreadableEvents);
    listDeadLetters.allowPeekingInto(sweep.unsweptParts);

    const redriveDeadLetters = platformFunction(
      "RedriveDeadLetters",
      "redrive-dead-letters",
      "Puts dead letters back on their way",
      { ...deadLetterQueues, DELIVERY_QUEUE_URL: webhooks.deliveryQueue.queueUrl },
    );
    redriveDeadLetters.allowEmptying(webhooks.deadLetters);
    redriveDeadLetters.allowEmptying(webhooks.unreadableEvents);
    redriveDeadLetters.allowEmptying(sweep.unsweptParts);
    redriveDeadLetters.allowSendingTo(webhooks.deliveryQueue);
    table.allow(redriveDeadLetters, "ORGANISATION", "Query");
    table.allow(redriveDeadLetters, "CANDIDATE", "Query", "GetItem", "DeleteItem");
    table.allowStreamReading(redriveDeadLetters);

    const rotateKeyring = platformFunction(
      "RotateKeyring",
      "rotate-keyring",
      "Adds a key that signing secrets are sealed with from now on",
      { KEYRING_SECRET_ID: webhooks.keyring.secretArn },
    );
    rotateKeyring.allowReadingSecret(webhooks.keyring);
    rotateKeyring.allowReplacingSecret(webhooks.keyring);

    const resealSigningSecrets = platformFunction(
      "ResealSigningSecrets",
      "reseal-signing-secrets",
      "Seals with the current key what former ones have sealed",
      { KEYRING_SECRET_ID: webhooks.keyring.secretArn },
    );
    resealSigningSecrets.allowReadingSecret(webhooks.keyring);
    table.allowFindingBySealingKey(resealSigningSecrets);
    table.allow(resealSigningSecrets, "ORGANISATION", "GetItem", "UpdateItem");
  }
}
