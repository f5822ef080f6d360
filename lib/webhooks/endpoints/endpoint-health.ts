import type { WebhookEndpoint } from "#contract/webhook-endpoint";
import { DAY, MINUTE, SECOND } from "#runtime/durations";
import type { RetrySchedule } from "#runtime/environment";
import type { Pace } from "#webhooks/endpoints/pace";

/**
 * When an endpoint is set inactive (docs/guides/webhooks.md, "Acknowledgement and retries"): no attempt has succeeded
 * for `failingForMs`, and at least `failedAttempts` have failed, on at least `daysWithFailures` days. The last two are
 * needed because a period without attempts is not a failure.
 */
const INACTIVE_AFTER = {
  standard: { failingForMs: 5 * DAY, failedAttempts: 10, daysWithFailures: 3 },
  practice: { failingForMs: 90 * SECOND, failedAttempts: 10, daysWithFailures: 1 },
} as const satisfies Record<RetrySchedule, object>;

/** How long after a series of failures began the organisation's other endpoints are notified, in ms. */
const NOTICE_AFTER_MS: Readonly<Record<RetrySchedule, number>> = { standard: DAY, practice: 20 * SECOND };

/**
 * How old the recorded success is when the next one replaces it, in ms: random in this range. A healthy endpoint's item
 * is thus updated about once an hour, and at a thousand deliveries a second one or two attempts write, where a fixed
 * age would make every attempt that is under way at that moment write.
 */
const SUCCESS_OUTDATED_AFTER_MS = { least: 60 * MINUTE, most: 75 * MINUTE } as const;

/** The attribute that counts an endpoint's failed attempts on one UTC day, for example `failuresOn20261121`. */
type FailureCounter = `failuresOn${number}`;

const FAILURE_COUNTER = /^failuresOn\d{8}$/;

/** An endpoint's failures, and whether it responds slowly (`Pace`), as recorded in its item. */
export interface EndpointHealth extends Pace, Pick<WebhookEndpoint, "failingSince" | "lastSuccessAt"> {
  /** When the notice of this series fired; absent if it has not. */
  readonly failingNoticeAt?: string;
  readonly [counter: FailureCounter]: number | undefined;
}

/** The counter of the UTC day in which a moment is. */
export function failureCounterOf(day: Date): FailureCounter {
  return `failuresOn${day.toISOString().slice(0, 10).replaceAll("-", "")}` as FailureCounter;
}

/**
 * The counters in use: those of today and of the days that `failingForMs` covers.
 *
 * @internal Exported for tests.
 */
export function failureCounters(now: Date): FailureCounter[] {
  const days = INACTIVE_AFTER.standard.failingForMs / DAY + 1;
  return Array.from({ length: days }, (_, back) => failureCounterOf(new Date(now.getTime() - back * DAY)));
}

/** The attributes that hold an endpoint's failures. */
export function failureAttributes(now: Date): string[] {
  return ["failingSince", "failingNoticeAt", ...failureCounters(now)];
}

/** The attributes that say when and why the service set an endpoint inactive. */
export const DISABLED_ATTRIBUTES = ["disabledAt", "disabledReason"] as const;

/** The counters in an item that are no longer in use. */
export function outdatedFailureCounters(health: EndpointHealth, now: Date): string[] {
  const current: readonly string[] = failureCounters(now);
  return Object.keys(health).filter((name) => FAILURE_COUNTER.test(name) && !current.includes(name));
}

/** Whether counting another failure today would make no difference, so that no write is needed. */
export function isCounted(health: EndpointHealth, now: Date): boolean {
  return (
    health.failingSince !== undefined &&
    (health[failureCounterOf(now)] ?? 0) >= INACTIVE_AFTER.standard.failedAttempts
  );
}

/** Whether an endpoint has failed for so long, and so often, that it is set inactive. */
export function keepsFailing(health: EndpointHealth, now: Date, schedule: RetrySchedule): boolean {
  const { failingSince } = health;
  const { failingForMs, failedAttempts, daysWithFailures } = INACTIVE_AFTER[schedule];
  if (failingSince === undefined) return false;
  if (now.getTime() - Date.parse(failingSince) < failingForMs) return false;
  const failures = failureCounters(now).flatMap((counter) => health[counter] ?? []);
  const attempts = failures.reduce((sum, failed) => sum + failed, 0);
  return attempts >= failedAttempts && failures.length >= daysWithFailures;
}

/** Whether the organisation's other endpoints are yet to be notified of a series of failures. */
export function isNoticeDue(
  { failingSince, failingNoticeAt }: EndpointHealth,
  now: Date,
  schedule: RetrySchedule,
): boolean {
  if (failingSince === undefined || failingNoticeAt !== undefined) return false;
  return now.getTime() - Date.parse(failingSince) >= NOTICE_AFTER_MS[schedule];
}

/**
 * Whether a success is to be recorded, because the recorded one is too old or there is none.
 *
 * @param random at least 0 and less than 1
 */
export function isSuccessOutdated({ lastSuccessAt }: EndpointHealth, now: Date, random: number): boolean {
  if (lastSuccessAt === undefined) return true;
  const { least, most } = SUCCESS_OUTDATED_AFTER_MS;
  return now.getTime() - Date.parse(lastSuccessAt) >= least + random * (most - least);
}
