import type { FunctionDefinition } from "../../local/lambda/function-definition.ts";
import { STACK } from "../../local/service/project.ts";
import type { Clients } from "./aws/clients.ts";
import type { ExecutionEnvironment } from "./aws/execution-environment.ts";
import type { Handler } from "./aws/simulated-function.ts";
import type { Receivers } from "./receivers.ts";

/** Loads a function's code in an execution environment. */
type Start = (environment: ExecutionEnvironment, clients: Clients, receivers: Receivers) => Handler;

/** The functions that the simulation runs, by the names of their files. */
export type Functions = Readonly<Record<string, Start>>;

/** The name of a function's file, from its name in the assembly or that of one of its environments. */
export function shortName(functionName: string): string {
  return functionName.replace(`${STACK}-`, "");
}

/** Silences the output of the functions: a simulation would produce millions of lines. */
const SILENT = {
  POWERTOOLS_DEV: "false",
  POWERTOOLS_LOG_LEVEL: "SILENT",
  POWERTOOLS_METRICS_DISABLED: "true",
  AWS_REGION: "us-east-1",
};

/**
 * Loads the code of the functions. Each module also creates the handler that Lambda would call, which needs the
 * function's environment variables.
 */
export async function loadFunctions(definitions: readonly FunctionDefinition[]): Promise<Functions> {
  Object.assign(process.env, ...definitions.map(({ environment }) => environment), SILENT);
  const plain = Object.entries(await factories()).map(([name, factory]): [string, Start] => [
    name,
    (environment, clients) => factory({ ...environment.runtime, ...clients }) as unknown as Handler,
  ]);
  const delivering = Object.entries(await deliverers()).map(([name, deliverer]): [string, Start] => [
    name,
    (environment, clients, receivers) =>
      deliverer({
        ...environment.runtime,
        ...clients,
        client: receivers.clientOf(environment),
      }) as unknown as Handler,
  ]);
  return Object.fromEntries([...plain, ...delivering]);
}

/** Functions that need only clients of AWS. */
async function factories() {
  return {
    "advance-candidate": (await import("../../functions/platform/advance-candidate.ts")).advanceCandidate,
    "amend-candidate": (await import("../../functions/api/amend-candidate.ts")).amendCandidate,
    "create-candidate": (await import("../../functions/api/create-candidate.ts")).createCandidate,
    "create-candidate-batch": (await import("../../functions/api/create-candidate-batch.ts"))
      .createCandidateBatch,
    "create-webhook-endpoint": (await import("../../functions/api/create-webhook-endpoint.ts"))
      .createWebhookEndpoint,
    "delete-webhook-endpoint": (await import("../../functions/api/delete-webhook-endpoint.ts"))
      .deleteWebhookEndpoint,
    "find-candidate": (await import("../../functions/api/find-candidate.ts")).findCandidate,
    "get-candidate": (await import("../../functions/api/get-candidate.ts")).getCandidate,
    "list-events": (await import("../../functions/api/list-events.ts")).listEvents,
    "list-webhook-deliveries": (await import("../../functions/api/list-webhook-deliveries.ts"))
      .listWebhookDeliveries,
    "list-webhook-endpoints": (await import("../../functions/api/list-webhook-endpoints.ts"))
      .listWebhookEndpoints,
    "publish-events": (await import("../../functions/events/publish-events.ts")).publishEvents,
    "recover-deliveries": (await import("../../functions/platform/recover-deliveries.ts")).recoverDeliveries,
    "recover-events": (await import("../../functions/events/recover-events.ts")).recoverEvents,
    "redrive-dead-letters": (await import("../../functions/platform/redrive-dead-letters.ts"))
      .redriveDeadLetters,
    "release-deliveries": (await import("../../functions/events/release-deliveries.ts")).releaseDeliveries,
    "request-erasure": (await import("../../functions/api/request-erasure.ts")).requestErasure,
    "reseal-signing-secrets": (await import("../../functions/platform/reseal-signing-secrets.ts"))
      .resealSigningSecrets,
    "resend-webhook-delivery": (await import("../../functions/api/resend-webhook-delivery.ts"))
      .resendWebhookDelivery,
    "rotate-keyring": (await import("../../functions/platform/rotate-keyring.ts")).rotateKeyring,
    "rotate-signing-secret": (await import("../../functions/api/rotate-signing-secret.ts"))
      .rotateSigningSecret,
    "start-recovery": (await import("../../functions/api/start-recovery.ts")).startRecovery,
    "sweep-candidate-parts": (await import("../../functions/events/sweep-candidate-parts.ts"))
      .sweepCandidateParts,
    "test-webhook-endpoint": (await import("../../functions/api/test-webhook-endpoint.ts"))
      .testWebhookEndpoint,
    "update-webhook-endpoint": (await import("../../functions/api/update-webhook-endpoint.ts"))
      .updateWebhookEndpoint,
  };
}

/** Functions that post to receivers. */
async function deliverers() {
  return {
    "deliver-aside": (await import("../../functions/events/deliver-aside.ts")).deliverAside,
    "deliver-webhook": (await import("../../functions/events/deliver-webhook.ts")).deliverWebhook,
    "retry-webhook": (await import("../../functions/events/retry-webhook.ts")).retryWebhook,
  };
}
