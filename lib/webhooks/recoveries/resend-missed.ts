import type { AbridgedEvent } from "#candidates/outbox/abridged-event";
import { type CandidateLives, maySend } from "#candidates/outbox/candidate-lives";
import { isEndpointEvent } from "#contract/events";
import { inParallel } from "#runtime/in-parallel";
import { resentDelivery } from "#webhooks/delivery/delivery";
import type { DeliveryLog, DeliveryRecord } from "#webhooks/delivery/delivery-log";
import { DeliveriesRefused, type DeliveryQueue, LONGEST_DELAY_MS } from "#webhooks/delivery/delivery-queue";
import { MOST_ATTEMPTS } from "#webhooks/delivery/resend";
import { FoundEvents } from "#webhooks/recoveries/found-events";
import type { Progress } from "#webhooks/recoveries/recovery-repository";
import type { StoredRecovery } from "#webhooks/recoveries/stored-recovery";

export interface ResendMissedService {
  readonly log: Pick<DeliveryLog, "find">;
  readonly lives: Pick<CandidateLives, "find">;
  readonly queue: Pick<DeliveryQueue, "sendAll">;
  readonly now: () => Date;
}

/**
 * The time between two deliveries of a recovery, in ms: fifty a second. A receiver that takes two seconds to respond
 * then has a hundred requests at once, as many as the retry queue's consumer makes in development, and a tenth of
 * those in production. A thousand missed events take twenty seconds, a million less than six hours.
 *
 * @internal Exported for tests.
 */
export const INTERVAL_MS = 20;

/** How many records, or candidates, a page of a recovery reads at once. */
const READS_AT_ONCE = 24;

/**
 * Queues the events of a page of the feed that the endpoint has not acknowledged, one after the other. An event that
 * this recovery has found before is left out.
 *
 * @throws Error if the queue refuses one: the page is then queued again
 */
export async function resendMissed(
  events: readonly AbridgedEvent[],
  recovery: StoredRecovery,
  { log, lives, queue, now }: ResendMissedService,
): Promise<Progress> {
  const { orgId, endpointId } = recovery;
  const before = new FoundEvents(recovery.latestFound);
  const newEvents = withoutRepetitions(events)
    .filter((event) => !isEndpointEvent(event) || event.data.webhookEndpointId !== endpointId)
    .filter(({ id }) => !before.has(id));
  const states = await inParallel(newEvents, READS_AT_ONCE, async (event) => {
    const record = (await log.find(endpointId, event.id))?.record;
    return { event, state: stateOf(record, now()), resentAt: afterAttemptsOf(record) };
  });
  const found = states.filter(({ state }) => state !== "acknowledged");
  const missed = found.filter(({ state }) => state === "missed");
  const sendable = await sendableOf(missed, (stagedId) => lives.find(orgId, stagedId));
  const start = Math.max(now().getTime(), Date.parse(recovery.pacedUntil));
  const deliveries = sendable.map(({ event, resentAt }, index) =>
    resentDelivery(event, { orgId, endpointId, resentAt, dueAt: new Date(start + index * INTERVAL_MS) }),
  );
  const refused = await queue.sendAll(deliveries);
  if (refused.length > 0) throw new DeliveriesRefused(refused);
  return {
    found: recovery.found + found.length,
    sent: recovery.sent + deliveries.length,
    latestFound: before.with(found.map(({ event }) => event.id)),
    pacedUntil: new Date(start + deliveries.length * INTERVAL_MS).toISOString(),
  };
}

/**
 * The time just after the attempts in a record, or 1970 if there are none. An attempt that is not recorded yet,
 * because it is under way or belongs to another recovery, is then recognised as one of this delivery, and the event
 * is not sent twice.
 */
function afterAttemptsOf(record: Pick<DeliveryRecord, "attempts"> | undefined): Date {
  const moments = record?.attempts.map(({ at }) => Date.parse(at) + 1) ?? [];
  return new Date(Math.max(0, ...moments));
}

/** The feed may have an event twice. */
function withoutRepetitions(events: readonly AbridgedEvent[]): AbridgedEvent[] {
  return [...new Map(events.map((event) => [event.id, event])).values()];
}

/**
 * The outcome of an event at the endpoint. A delivery whose next attempt is less than 15 minutes away is not sent
 * again; one that waits for longer, as after an outage of hours, counts as missed. A record has at most a hundred
 * attempts.
 *
 * @param record absent if there has been no attempt, as when the endpoint was inactive or did not exist
 * @internal Exported for tests.
 */
export function stateOf(
  record: Pick<DeliveryRecord, "status" | "attempts" | "nextAttemptAt"> | undefined,
  now: Date,
): "acknowledged" | "pending" | "exhausted" | "missed" {
  if (!record) return "missed";
  if (record.status === "delivered") return "acknowledged";
  const { status, attempts, nextAttemptAt = "" } = record;
  const wait = Math.abs(Date.parse(nextAttemptAt) - now.getTime());
  if (status === "pending" && wait <= LONGEST_DELAY_MS) return "pending";
  return attempts.length >= MOST_ATTEMPTS ? "exhausted" : "missed";
}

/** The events that may still be sent: of an erased candidate, only `candidate.erased`. Reads each candidate once. */
async function sendableOf<Missed extends { readonly event: AbridgedEvent }>(
  missed: readonly Missed[],
  find: (stagedId: string) => ReturnType<CandidateLives["find"]>,
): Promise<Missed[]> {
  const stagedIds = missed.flatMap(({ event }) => (isEndpointEvent(event) ? [] : [event.data.stagedId]));
  const found = await inParallel(
    [...new Set(stagedIds)],
    READS_AT_ONCE,
    async (stagedId) => [stagedId, await find(stagedId)] as const,
  );
  const lives = new Map(found);
  return missed.filter(
    ({ event }) => isEndpointEvent(event) || maySend(event, lives.get(event.data.stagedId)),
  );
}
