import * as z from "zod/mini";
import { candidateLivesOf } from "#candidates/outbox/candidate-lives";
import type { Recovery, RecoveryRequest } from "#contract/recovery";
import type { WithTable } from "#runtime/dynamodb";
import { readEnvironment, TableName } from "#runtime/environment";
import type { WithQueues } from "#runtime/sqs";
import { deliveryLogOf, retryQueueOf } from "#webhooks/delivery/composition";
import { webhookEndpointsOf } from "#webhooks/endpoints/composition";
import { eventFeedOf } from "#webhooks/feed/composition";
import { EventRetentionDays } from "#webhooks/feed/retention";
import type { RecoverService } from "#webhooks/recoveries/recover";
import { RecoveryQueue } from "#webhooks/recoveries/recovery-queue";
import { RecoveryRepository } from "#webhooks/recoveries/recovery-repository";
import { recoverMissed, type StartRecoveryService, startRecovery } from "#webhooks/recoveries/start-recovery";
import { toRecovery } from "#webhooks/recoveries/stored-recovery";

/** The deployment's recoveries. */
function recoveriesOf({ documentClient, variables, now }: WithTable): RecoveryRepository {
  const environment = readEnvironment({ TABLE_NAME: TableName }, variables);
  return new RecoveryRepository(documentClient, environment.TABLE_NAME, now);
}

function startServiceOf(dependencies: WithTable & WithQueues): StartRecoveryService {
  const environment = readEnvironment(
    { EVENT_RETENTION_DAYS: EventRetentionDays, RECOVERY_QUEUE_URL: z.url() },
    dependencies.variables,
  );
  return {
    endpoints: webhookEndpointsOf(dependencies),
    recoveries: recoveriesOf(dependencies),
    queue: new RecoveryQueue(dependencies.sqsClient, environment.RECOVERY_QUEUE_URL),
    retentionDays: environment.EVENT_RETENTION_DAYS,
    now: dependencies.now,
    randomBytes: dependencies.randomBytes,
  };
}

/** Starts one of the deployment's recoveries. Errors as {@link startRecovery}. */
export function startRecoveryOf(dependencies: WithTable & WithQueues) {
  const service = startServiceOf(dependencies);
  return (orgId: string, endpointId: string, request: RecoveryRequest): Promise<Recovery> =>
    startRecovery(orgId, endpointId, request, service);
}

/** Starts one of the deployment's recoveries of what was missed. Errors as {@link recoverMissed}. */
export function recoverMissedOf(dependencies: WithTable & WithQueues) {
  const service = startServiceOf(dependencies);
  return (orgId: string, endpointId: string, request: Omit<RecoveryRequest, "since">) =>
    recoverMissed(orgId, endpointId, request, service);
}

/**
 * Reads one of the deployment's recoveries.
 *
 * @throws NotFound if the organisation has no such endpoint, or the endpoint no such recovery
 */
export function getRecoveryOf(dependencies: WithTable) {
  const endpoints = webhookEndpointsOf(dependencies);
  const recoveries = recoveriesOf(dependencies);
  return async (orgId: string, endpointId: string, recoveryId: string): Promise<Recovery> => {
    const { id } = await endpoints.get(orgId, endpointId);
    return toRecovery(await recoveries.get(id, recoveryId), dependencies.now());
  };
}

/** The dependencies for carrying out the deployment's recoveries. */
export function recoverServiceOf(dependencies: WithTable & WithQueues): RecoverService {
  return {
    recoveries: recoveriesOf(dependencies),
    endpoints: webhookEndpointsOf(dependencies),
    feed: eventFeedOf(dependencies),
    log: deliveryLogOf(dependencies),
    lives: candidateLivesOf(dependencies),
    queue: retryQueueOf(dependencies),
    now: dependencies.now,
    wait: dependencies.wait,
  };
}
