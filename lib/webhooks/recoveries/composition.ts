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

function startServiceOf(surroundings: WithTable & WithQueues): StartRecoveryService {
  const environment = readEnvironment(
    { EVENT_RETENTION_DAYS: EventRetentionDays, RECOVERY_QUEUE_URL: z.url() },
    surroundings.variables,
  );
  return {
    endpoints: webhookEndpointsOf(surroundings),
    recoveries: recoveriesOf(surroundings),
    queue: new RecoveryQueue(surroundings.sqsClient, environment.RECOVERY_QUEUE_URL),
    retentionDays: environment.EVENT_RETENTION_DAYS,
    now: surroundings.now,
    randomBytes: surroundings.randomBytes,
  };
}

/** Starts one of the deployment's recoveries. Errors as {@link startRecovery}. */
export function startRecoveryOf(surroundings: WithTable & WithQueues) {
  const service = startServiceOf(surroundings);
  return (orgId: string, endpointId: string, request: RecoveryRequest): Promise<Recovery> =>
    startRecovery(orgId, endpointId, request, service);
}

/** Starts one of the deployment's recoveries of what was missed. Errors as {@link recoverMissed}. */
export function recoverMissedOf(surroundings: WithTable & WithQueues) {
  const service = startServiceOf(surroundings);
  return (orgId: string, endpointId: string, request: Omit<RecoveryRequest, "since">) =>
    recoverMissed(orgId, endpointId, request, service);
}

/**
 * Reads one of the deployment's recoveries.
 *
 * @throws NotFound if the organisation has no such endpoint, or the endpoint no such recovery
 */
export function getRecoveryOf(surroundings: WithTable) {
  const endpoints = webhookEndpointsOf(surroundings);
  const recoveries = recoveriesOf(surroundings);
  return async (orgId: string, endpointId: string, recoveryId: string): Promise<Recovery> => {
    const { id } = await endpoints.get(orgId, endpointId);
    return toRecovery(await recoveries.get(id, recoveryId), surroundings.now());
  };
}

/** The dependencies for carrying out the deployment's recoveries. */
export function recoverServiceOf(surroundings: WithTable & WithQueues): RecoverService {
  return {
    recoveries: recoveriesOf(surroundings),
    endpoints: webhookEndpointsOf(surroundings),
    feed: eventFeedOf(surroundings),
    log: deliveryLogOf(surroundings),
    lives: candidateLivesOf(surroundings),
    queue: retryQueueOf(surroundings),
    now: surroundings.now,
    wait: surroundings.wait,
  };
}
