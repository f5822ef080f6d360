import * as z from "zod/mini";
import { DAY } from "#runtime/durations";

/** The bounds of {@link EventRetentionDays}. */
export const EVENT_RETENTION = { leastDays: 1, mostDays: 90 } as const;

/** How many days an environment keeps events. */
export const EventRetentionDays = z.coerce
  .number()
  .check(z.int(), z.gte(EVENT_RETENTION.leastDays), z.lte(EVENT_RETENTION.mostDays));

/** When events are deleted: a day later than promised, so that a reader that starts at the oldest can keep up. */
export function keptUntil(moment: Date, retentionDays: number): Date {
  return new Date(moment.getTime() + (retentionDays + 1) * DAY);
}

/** The time from which the feed promises every event. */
export function oldestPromised(now: Date, retentionDays: number): Date {
  return new Date(now.getTime() - retentionDays * DAY);
}

/** The time from which the feed still has every event. */
export function oldestKept(now: Date, retentionDays: number): Date {
  return new Date(oldestPromised(now, retentionDays).getTime() - DAY);
}
