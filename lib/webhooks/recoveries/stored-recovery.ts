import * as z from "zod/mini";
import { Recovery } from "#contract/recovery";
import { DAY, HOUR } from "#runtime/durations";

/** How long a recovery is kept after its start, in ms: as long as the records of deliveries. */
export const RETENTION_MS = 30 * DAY;

/**
 * How long after its last progress a recovery counts as failed, in ms. Longer than the half hour after which
 * recover-events itself ends one: only what it cannot record is left to this.
 */
const ABANDONED_AFTER_MS = HOUR;

/** A recovery and how far it has come. */
export const StoredRecovery = z.extend(Recovery, {
  orgId: z.string(),
  endpointId: z.string(),
  /** The endpoint's `missedSince`, if the recovery sends everything that it has missed since then. */
  missedSince: z.optional(z.string()),
  /** The position in the feed up to which its events are queued. */
  position: z.string(),
  eventsRead: z.int(),
  /** The events that it found last; absent before its first page. */
  latestFound: z.optional(z.instanceof(Uint8Array)),
  /** When the last delivery so far is due. */
  pacedUntil: z.string(),
  progressAt: z.string(),
  /** How often its message had been received when it last progressed. */
  receives: z.int(),
});
export type StoredRecovery = z.infer<typeof StoredRecovery>;

/** The largest difference between the clocks that set an event's time and `until`, in ms. */
const CLOCKS_DIFFER_BY_MS = 1_000;

/** The latest time of an event that a recovery until this time sends. */
export function latestOf(until: string): string {
  return new Date(Date.parse(until) + CLOCKS_DIFFER_BY_MS).toISOString();
}

/** The recovery as integrators see it. One without progress for an hour has failed, whoever was to record that. */
export function toRecovery(stored: StoredRecovery, now: Date): Recovery {
  if (stored.status !== "running" || !isAbandoned(stored, now)) return Recovery.parse(stored);
  const endedAt = new Date(Date.parse(stored.progressAt) + ABANDONED_AFTER_MS).toISOString();
  return Recovery.parse({ ...stored, status: "failed", endedAt, reason: STOPPED });
}

/** Why a recovery that faults of the service ended has failed. */
export const STOPPED = "The recovery failed repeatedly. Start another one: it sends the remaining events.";

/** Whether a running recovery counts as failed because it has made no progress for an hour. */
export function isAbandoned({ progressAt }: StoredRecovery, now: Date): boolean {
  return now.getTime() - Date.parse(progressAt) > ABANDONED_AFTER_MS;
}
