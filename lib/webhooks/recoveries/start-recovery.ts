import { InvalidRequest } from "#contract/errors";
import { newRecoveryId } from "#contract/identifiers";
import type { Recovery, RecoveryRequest } from "#contract/recovery";
import type { Runtime } from "#runtime/runtime";
import { assertActive } from "#webhooks/endpoints/delivery-endpoint";
import type { WebhookEndpointRepository } from "#webhooks/endpoints/webhook-endpoint-repository";
import { positionSince } from "#webhooks/feed/list-events";
import type { RecoveryQueue } from "#webhooks/recoveries/recovery-queue";
import type { RecoveryRepository } from "#webhooks/recoveries/recovery-repository";
import { STOPPED, type StoredRecovery, toRecovery } from "#webhooks/recoveries/stored-recovery";

export interface StartRecoveryService extends Pick<Runtime, "now" | "randomBytes"> {
  readonly endpoints: Pick<WebhookEndpointRepository, "get">;
  readonly recoveries: Pick<RecoveryRepository, "start" | "withdraw">;
  readonly queue: Pick<RecoveryQueue, "send">;
  readonly retentionDays: number;
}

/**
 * Starts a recovery of the events that an endpoint has not acknowledged.
 *
 * @throws NotFound if the organisation has no such endpoint
 * @throws InvalidRequest if the endpoint is inactive, or another recovery of it is running
 * @throws EventsExpired if the feed no longer has all events of that time
 */
export async function startRecovery(
  orgId: string,
  endpointId: string,
  { since, until, eventTypes }: RecoveryRequest,
  service: StartRecoveryService,
): Promise<Recovery> {
  const { endpoints, recoveries, queue, now } = service;
  const endpoint = await endpoints.get(orgId, endpointId);
  assertActive(endpoint);
  const startedAt = now();
  const end = until && until < startedAt ? until : startedAt;
  if (since >= end) throw new InvalidRequest("since: a time in the past and before until is expected");
  const recovery: StoredRecovery = {
    id: newRecoveryId(service),
    status: "running",
    found: 0,
    sent: 0,
    since: since.toISOString(),
    until: end.toISOString(),
    eventTypes: eventTypes ?? endpoint.eventTypes,
    startedAt: startedAt.toISOString(),
    orgId,
    endpointId,
    ...positionSince(since, service),
    pacedUntil: startedAt.toISOString(),
    progressAt: startedAt.toISOString(),
    receives: 0,
  };
  const running = await recoveries.start(recovery);
  if (running) {
    throw new InvalidRequest(`The recovery ${running.id} of this endpoint is running: wait until it ends.`);
  }
  try {
    await queue.send({ orgId, endpointId, recoveryId: recovery.id });
  } catch (error) {
    // Without its message it would count as running for an hour.
    await recoveries.withdraw(recovery, STOPPED);
    throw error;
  }
  return toRecovery(recovery, startedAt);
}
