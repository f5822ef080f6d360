import * as z from "zod/mini";
import { candidateLivesOf } from "#candidates/outbox/composition";
import type { WithTable } from "#runtime/dynamodb";
import { readEnvironment, tableNameOf } from "#runtime/environment";
import type { WithQueues } from "#runtime/sqs";
import { deliveryLogOf, retryQueueOf } from "#webhooks/delivery/composition";
import { webhookEndpointsOf } from "#webhooks/endpoints/composition";
import { eventFeedOf } from "#webhooks/feed/composition";
import { EventRetentionDays } from "#webhooks/feed/retention";
import type { GetRecoveryService } from "#webhooks/recoveries/get-recovery";
import type { RecoverService } from "#webhooks/recoveries/recover";
import { RecoveryQueue } from "#webhooks/recoveries/recovery-queue";
import { RecoveryRepository } from "#webhooks/recoveries/recovery-repository";
import type { StartRecoveryService } from "#webhooks/recoveries/start-recovery";

/** The deployment's recoveries. */
function recoveriesOf(dependencies: WithTable): RecoveryRepository {
  return new RecoveryRepository(dependencies.documentClient, tableNameOf(dependencies), dependencies.now);
}

/** The dependencies for starting the deployment's recoveries. */
export function startRecoveryServiceOf(dependencies: WithTable & WithQueues): StartRecoveryService {
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

/** The dependencies for reading the deployment's recoveries. */
export function getRecoveryServiceOf(dependencies: WithTable): GetRecoveryService {
  return {
    endpoints: webhookEndpointsOf(dependencies),
    recoveries: recoveriesOf(dependencies),
    now: dependencies.now,
  };
}

/** The dependencies for carrying out the deployment's recoveries. */
export function recoverServiceOf(dependencies: WithTable & WithQueues): RecoverService {
  const environment = readEnvironment({ EVENT_RETENTION_DAYS: EventRetentionDays }, dependencies.variables);
  return {
    recoveries: recoveriesOf(dependencies),
    endpoints: webhookEndpointsOf(dependencies),
    feed: eventFeedOf(dependencies),
    log: deliveryLogOf(dependencies),
    lives: candidateLivesOf(dependencies),
    queue: retryQueueOf(dependencies),
    retentionDays: environment.EVENT_RETENTION_DAYS,
    now: dependencies.now,
    wait: dependencies.wait,
  };
}
