import type { SQSRecord } from "aws-lambda";
import { MINUTE } from "#runtime/durations";
import { logger } from "#runtime/logger";
import type { WebhookEndpointRepository } from "#webhooks/endpoints/webhook-endpoint-repository";
import { type EventFeed, READ_BEHIND_MS } from "#webhooks/feed/event-feed";
import { feedPage } from "#webhooks/feed/feed-page";
import { oldestKept } from "#webhooks/feed/retention";
import { type RecoveryMessage, readRecoveryMessage } from "#webhooks/recoveries/recovery-queue";
import type { Progress, RecoveryRepository } from "#webhooks/recoveries/recovery-repository";
import { type ResendMissedService, resendMissed } from "#webhooks/recoveries/resend-missed";
import { isAbandoned, latestOf, STOPPED, type StoredRecovery } from "#webhooks/recoveries/stored-recovery";

export interface RecoverService extends ResendMissedService {
  readonly recoveries: Pick<RecoveryRepository, "find" | "isLatest" | "advance">;
  readonly endpoints: Pick<WebhookEndpointRepository, "find">;
  readonly feed: Pick<EventFeed, "read">;
  readonly retentionDays: number;
  readonly wait: (ms: number) => Promise<unknown>;
}

/**
 * How long one run works before it leaves the rest to the next one, in ms: less than the function's timeout.
 *
 * @internal Exported for tests.
 */
export const WORKS_FOR_MS = 40_000;

/**
 * How far ahead deliveries are queued, in ms. The next run begins when the message is visible again, six minutes after
 * this one began.
 *
 * @internal Exported for tests.
 */
export const AHEAD_MS = 7 * MINUTE;

/**
 * The number of receives without progress after which a recovery fails.
 *
 * @internal
 */
export const FUTILE_RECEIVES = 5;

/**
 * The size of a page: up to 40 items of each of the feed's four partition keys. The requests that a page makes in
 * sequence then serve five times as many events that were published alone as in a page of list-events. The limit of
 * events is for bursts, whose items contain twelve.
 */
const ITEMS = 40;
const EVENTS = 400;

/**
 * The feed is read until this long after `until`, in ms. An event whose endpoints were looked up just before this one
 * became active may have a position up to three seconds later, since its item is put again if it is not acknowledged in
 * time. Clocks may differ as well.
 */
const SETTLED_AFTER_MS = 5_000;

/**
 * Starts or resumes a recovery: reads the feed page by page, queues the events that the endpoint has not
 * acknowledged, and records each page. After a crash between the two, the page is queued again, and duplicate
 * deliveries are recognised by their records.
 *
 * @returns whether the recovery has ended. If not, the message is to be received again
 * @throws Error when the table or the queue fails: the message is then received again too
 */
export async function recover(
  { body, attributes, messageId }: SQSRecord,
  service: RecoverService,
): Promise<boolean> {
  const message = readRecoveryMessage(body);
  if (!message) {
    logger.error("unreadable recovery", { messageId });
    return true;
  }
  try {
    return await run(message, Number(attributes.ApproximateReceiveCount), service);
  } catch (cause) {
    logger.error("recovery failed", { ...message, cause });
    throw cause;
  }
}

async function run(message: RecoveryMessage, receives: number, service: RecoverService): Promise<boolean> {
  const { now, recoveries } = service;
  const startedAt = now().getTime();
  let recovery = await recoveries.find(message.endpointId, message.recoveryId);
  if (recovery?.status !== "running") return true;
  if (receives - recovery.receives > FUTILE_RECEIVES || (await isFutile(recovery, service))) {
    logger.error("recovery ended without progress", { ...message, receives });
    await recoveries.advance(recovery, ended("failed", service, STOPPED));
    return true;
  }
  while (now().getTime() - startedAt < WORKS_FOR_MS && isDue(recovery, now())) {
    const { found, sent }: StoredRecovery = recovery;
    recovery = await recoveries.advance(recovery, { ...(await nextPage(recovery, service)), receives });
    // Another run has the same message, and is ahead.
    if (!recovery) return false;
    logger.info("recovery", {
      ...message,
      status: recovery.status,
      found: recovery.found - found,
      sent: recovery.sent - sent,
      ...(recovery.reason && { reason: recovery.reason }),
    });
    if (recovery.status !== "running") return true;
  }
  return false;
}

/** A recovery that never began may have waited behind many others. It still runs, unless a newer one has begun. */
async function isFutile(recovery: StoredRecovery, { recoveries, now }: RecoverService): Promise<boolean> {
  if (!isAbandoned(recovery, now())) return false;
  return recovery.receives > 0 || !(await recoveries.isLatest(recovery));
}

function isDue({ pacedUntil }: StoredRecovery, now: Date): boolean {
  return Date.parse(pacedUntil) - now.getTime() < AHEAD_MS;
}

/** Queues the events of the next page of the feed that the endpoint has not acknowledged. */
async function nextPage(recovery: StoredRecovery, service: RecoverService): Promise<Progress> {
  const { orgId, endpointId, eventTypes, position, eventsRead } = recovery;
  const end = new Date(Date.parse(recovery.until) + SETTLED_AFTER_MS);
  const endpoint = await service.endpoints.find(orgId, endpointId);
  if (!endpoint) return ended("failed", service, "The endpoint has been deleted.");
  if (!endpoint.active) {
    return ended(
      "failed",
      service,
      "The endpoint is inactive: make it active again, and start another recovery.",
    );
  }
  // Events may be deleted faster than a recovery reads them: it sends fifty a second, and there may have been more.
  if (position < oldestKept(service.now(), service.retentionDays).toISOString()) {
    return ended(
      "failed",
      service,
      "Its next events are no longer kept. Start another one, from a later time.",
    );
  }
  const read = await service.feed.read(orgId, position, ITEMS);
  const until = end.toISOString();
  const { events, next, hasMore } = feedPage(
    { ...read, until: read.until < until ? read.until : until },
    { position, eventsRead },
    { limit: EVENTS, types: eventTypes },
  );
  const latest = Date.parse(latestOf(recovery.until));
  const ofItsTime = events.filter(({ occurredAt }) => Date.parse(occurredAt) <= latest);
  const progress = { ...(await resendMissed(ofItsTime, recovery, service)), ...next };
  if (hasMore) return progress;
  if (next.position >= until) return { ...progress, ...ended("completed", service) };
  // After this wait the rest can be read. It happens once, at the end of a recovery up to the current time.
  await service.wait(Math.max(0, end.getTime() + READ_BEHIND_MS - service.now().getTime()));
  return progress;
}

function ended(
  status: "completed" | "failed",
  { now }: Pick<RecoverService, "now">,
  reason?: string,
): Progress {
  return { status, endedAt: now().toISOString(), ...(reason && { reason }) };
}
