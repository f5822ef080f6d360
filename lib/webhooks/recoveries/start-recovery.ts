import { InvalidRequest } from "#contract/errors";
import { newRecoveryId } from "#contract/identifiers";
import type { Recovery, RecoveryRequest } from "#contract/recovery";
import { MINUTE } from "#runtime/durations";
import type { Runtime } from "#runtime/runtime";
import { assertActive, type StoredEndpoint } from "#webhooks/endpoints/stored-endpoint";
import type { WebhookEndpointRepository } from "#webhooks/endpoints/webhook-endpoint-repository";
import { positionSince } from "#webhooks/feed/list-events";
import { oldestPromised } from "#webhooks/feed/retention";
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
 * How long before `missedSince` a recovery of what was missed begins, in ms. The first attempt that failed may have
 * ended half a minute after its event fired, and clocks may differ.
 */
const BEGINS_BEFORE_MS = MINUTE;

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
  request: RecoveryRequest,
  service: StartRecoveryService,
): Promise<Recovery> {
  return start(await activeEndpoint(orgId, endpointId, service), request, service);
}

/**
 * Starts a recovery of the events that an endpoint has missed because it was inactive, as far back as events are kept.
 *
 * @returns undefined if it has missed none
 * @throws as {@link startRecovery}
 */
export async function recoverMissed(
  orgId: string,
  endpointId: string,
  request: Omit<RecoveryRequest, "since">,
  service: StartRecoveryService,
): Promise<Recovery | undefined> {
  const endpoint = await activeEndpoint(orgId, endpointId, service);
  const { missedSince } = endpoint;
  if (missedSince === undefined) return undefined;
  const oldest = oldestPromised(service.now(), service.retentionDays).getTime();
  const since = new Date(Math.max(oldest, firstSent(missedSince)));
  if (request.until && request.until <= since)
    throw new InvalidRequest(
      `until: a time after ${since.toISOString()} is expected; for an earlier one, set since=<time> too`,
    );
  return start(endpoint, { ...request, since }, service);
}

/** When a recovery must begin to send all that was missed, in Unix ms. */
function firstSent(missedSince: string): number {
  return Date.parse(missedSince) - BEGINS_BEFORE_MS;
}

async function activeEndpoint(
  orgId: string,
  endpointId: string,
  { endpoints }: StartRecoveryService,
): Promise<StoredEndpoint> {
  const endpoint = await endpoints.get(orgId, endpointId);
  assertActive(endpoint);
  return endpoint;
}

async function start(
  endpoint: StoredEndpoint,
  { since, until, eventTypes = endpoint.eventTypes }: RecoveryRequest,
  service: StartRecoveryService,
): Promise<Recovery> {
  const { recoveries, queue, now } = service;
  const { orgId, id: endpointId } = endpoint;
  const startedAt = now();
  const end = until && until < startedAt ? until : startedAt;
  if (since >= end)
    throw new InvalidRequest("since: a time in the past and before the end of the recovery is expected");
  const recovery: StoredRecovery = {
    id: newRecoveryId(service),
    status: "running",
    found: 0,
    sent: 0,
    since: since.toISOString(),
    until: end.toISOString(),
    eventTypes,
    startedAt: startedAt.toISOString(),
    orgId,
    endpointId,
    ...(sendsAllMissed(endpoint, { since, eventTypes }, service) && { missedSince: endpoint.missedSince }),
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
    if (await recoveries.withdraw(recovery, STOPPED)) throw error;
  }
  return toRecovery(recovery, startedAt);
}

/**
 * Whether a recovery begins before everything that the endpoint has missed, or with the oldest event, of all its types.
 */
function sendsAllMissed(
  { missedSince, eventTypes }: StoredEndpoint,
  recovery: Pick<RecoveryRequest, "since"> & Pick<StoredEndpoint, "eventTypes">,
  { now, retentionDays }: StartRecoveryService,
): boolean {
  if (missedSince === undefined || !eventTypes.every((type) => recovery.eventTypes.includes(type)))
    return false;
  const since = recovery.since.getTime();
  return since <= firstSent(missedSince) || since <= oldestPromised(now(), retentionDays).getTime();
}
