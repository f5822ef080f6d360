import type { OperationId } from "#contract/operations";
import type { CandidateTable } from "./candidate-table.ts";
import type { EnvironmentSettings } from "./environment-settings.ts";
import { type Grant, variables } from "./grant.ts";
import { recording } from "./recorded-metrics.ts";
import type { WebhookDelivery } from "./webhook-delivery.ts";

interface Resources {
  readonly settings: EnvironmentSettings;
  readonly table: CandidateTable;
  readonly webhooks: WebhookDelivery;
}

/** The permissions of each operation's function. */
export function operationGrants({
  settings: { erasureRequests },
  table,
  webhooks: { keyring, sideQueue, recoveryQueue, allowedNetworks, eventRetention },
}: Resources): Readonly<Record<OperationId, readonly Grant[]>> {
  return {
    createCandidate: [table.items("CANDIDATE", "PutItem", "GetItem", "DeleteItem")],
    findCandidate: [table.items("CANDIDATE", "GetItem")],
    getCandidate: [table.items("CANDIDATE", "GetItem")],
    amendCandidate: [table.items("CANDIDATE", "UpdateItem", "GetItem", "PutItem", "DeleteItem")],
    requestErasure: [
      variables({ ERASURE_REQUESTS: erasureRequests }),
      erasureRequests === "accepted"
        ? table.items("CANDIDATE", "GetItem", "PutItem", "DeleteItem")
        : table.nothing(),
    ],
    createCandidateBatch: [table.items("CANDIDATE", "PutItem", "GetItem", "DeleteItem"), recording(table)],
    createWebhookEndpoint: [
      table.items("ENDPOINTS", "PutItem", "UpdateItem"),
      keyring.reading(),
      allowedNetworks,
    ],
    listWebhookEndpoints: [table.items("ENDPOINTS", "Query")],
    getWebhookEndpoint: [table.items("ENDPOINTS", "GetItem")],
    updateWebhookEndpoint: [table.items("ENDPOINTS", "GetItem", "UpdateItem"), allowedNetworks],
    deleteWebhookEndpoint: [table.items("ENDPOINTS", "DeleteItem", "UpdateItem")],
    testWebhookEndpoint: [table.items("ENDPOINTS", "GetItem"), sideQueue.sending()],
    rotateSigningSecret: [table.items("ENDPOINTS", "GetItem", "UpdateItem"), keyring.reading()],
    listWebhookDeliveries: [table.items("ENDPOINTS", "GetItem"), table.items("ENDPOINT", "Query")],
    resendWebhookDelivery: [
      table.items("ENDPOINTS", "GetItem"),
      table.items("ENDPOINT", "GetItem"),
      table.livesOfCandidates(),
      sideQueue.sending(),
    ],
    listEvents: [table.items("FEED", "Query"), table.livesOfCandidates(), eventRetention],
    applySandboxTransition: [table.items("CANDIDATE", "GetItem", "PutItem", "UpdateItem", "DeleteItem")],
    startRecovery: [
      table.items("ENDPOINTS", "GetItem"),
      table.items("ENDPOINT", "GetItem", "PutItem"),
      recoveryQueue.sending(),
      eventRetention,
    ],
    getRecovery: [table.items("ENDPOINTS", "GetItem"), table.items("ENDPOINT", "GetItem")],
  };
}
