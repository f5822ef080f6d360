import type { Pace } from "#webhooks/endpoints/pace";

const DAY = 24 * 60 * 60 * 1000;

/**
 * When an endpoint is set inactive (docs/guides/webhooks.md, "Acknowledgement and retries"): no attempt has succeeded
 * for `failingForMs`, and at least `failedAttempts` have failed, on at least `daysWithFailures` days. The last two are
 * needed because a period without attempts is not a failure.
 */
const INACTIVE_AFTER = { failingForMs: 5 * DAY, failedAttempts: 10, daysWithFailures: 3 } as const;

/** The attribute that counts an endpoint's failed attempts on one UTC day, for example `failuresOn20261121`. */
type FailureCounter = `failuresOn${number}`;

const FAILURE_COUNTER = /^failuresOn\d{8}$/;

/** An endpoint's failures, and whether it responds slowly (`Pace`), as recorded in its item. */
export interface EndpointHealth extends Pace {
  /** When the current series of failures began; absent while attempts succeed. */
  readonly failingSince?: string;
  readonly [counter: FailureCounter]: number | undefined;
}

export function failureCounterOf(day: Date): FailureCounter {
  return `failuresOn${day.toISOString().slice(0, 10).replaceAll("-", "")}` as FailureCounter;
}

/**
 * The counters in use: those of today and of the days that `failingForMs` covers.
 *
 * @internal Exported for tests.
 */
export function failureCounters(now: Date): FailureCounter[] {
  const days = INACTIVE_AFTER.failingForMs / DAY + 1;
  return Array.from({ length: days }, (_, back) => failureCounterOf(new Date(now.getTime() - back * DAY)));
}

/** The attributes that hold an endpoint's failures. */
export function failureAttributes(now: Date): string[] {
  return ["failingSince", ...failureCounters(now)];
}

/** The counters in an item that are no longer in use. */
export function outdatedFailureCounters(health: EndpointHealth, now: Date): string[] {
  const current: readonly string[] = failureCounters(now);
  return Object.keys(health).filter((name) => FAILURE_COUNTER.test(name) && !current.includes(name));
}

/** Whether counting another failure today would make no difference, so that no write is needed. */
export function isCounted(health: EndpointHealth, now: Date): boolean {
  return (
    health.failingSince !== undefined && (health[failureCounterOf(now)] ?? 0) >= INACTIVE_AFTER.failedAttempts
  );
}

/** Whether an endpoint has failed for so long, and so often, that it is set inactive. */
export function keepsFailing(health: EndpointHealth, now: Date): boolean {
  const { failingSince } = health;
  if (failingSince === undefined) return false;
  if (now.getTime() - Date.parse(failingSince) < INACTIVE_AFTER.failingForMs) return false;
  const failures = failureCounters(now).flatMap((counter) => health[counter] ?? []);
  const attempts = failures.reduce((sum, failed) => sum + failed, 0);
  return attempts >= INACTIVE_AFTER.failedAttempts && failures.length >= INACTIVE_AFTER.daysWithFailures;
}
