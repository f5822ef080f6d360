const DAY = 24 * 60 * 60 * 1000;

/**
 * When an endpoint is set inactive (decisions, "an endpoint that keeps failing"): it has taken nothing for
 * `period` ms, in which at least `attempts` failed, on at least `days` days. Silence is no failure.
 */
const INACTIVE_AFTER = { period: 5 * DAY, attempts: 10, days: 3 } as const;

/** The attribute that counts an endpoint's failed attempts of one UTC day, as `failuresOn20261121`. */
type FailureCounter = `failuresOn${number}`;

const FAILURE_COUNTER = /^failuresOn\d{8}$/;

/** What an endpoint's item records of its failures. */
export interface EndpointHealth {
  /** When the failures that go on now began; absent while attempts succeed. */
  readonly failingSince?: string;
  readonly [counter: FailureCounter]: number | undefined;
}

export function failureCounterOf(day: Date): FailureCounter {
  return `failuresOn${day.toISOString().slice(0, 10).replaceAll("-", "")}` as FailureCounter;
}

/**
 * The counters that matter now: of today, and of the days that the period reaches back to.
 *
 * @internal Exported for tests.
 */
export function failureCounters(now: Date): FailureCounter[] {
  const days = INACTIVE_AFTER.period / DAY + 1;
  return Array.from({ length: days }, (_, back) => failureCounterOf(new Date(now.getTime() - back * DAY)));
}

/** The attributes that hold an endpoint's failures. */
export function failureAttributes(now: Date): string[] {
  return ["failingSince", ...failureCounters(now)];
}

/** The counters that an item still has of days before that. */
export function outdatedFailureCounters(health: EndpointHealth, now: Date): string[] {
  const current: readonly string[] = failureCounters(now);
  return Object.keys(health).filter((name) => FAILURE_COUNTER.test(name) && !current.includes(name));
}

/** Whether one more failure of today would decide nothing: no write is needed to count it. */
export function isCounted(health: EndpointHealth, now: Date): boolean {
  return health.failingSince !== undefined && (health[failureCounterOf(now)] ?? 0) >= INACTIVE_AFTER.attempts;
}

/** Whether an endpoint has failed for so long, and so often, that nothing more is to be sent to it. */
export function keepsFailing(health: EndpointHealth, now: Date): boolean {
  const { failingSince } = health;
  if (failingSince === undefined) return false;
  if (now.getTime() - Date.parse(failingSince) < INACTIVE_AFTER.period) return false;
  const failures = failureCounters(now).flatMap((counter) => health[counter] ?? []);
  const attempts = failures.reduce((sum, failed) => sum + failed, 0);
  return attempts >= INACTIVE_AFTER.attempts && failures.length >= INACTIVE_AFTER.days;
}
