/** `Retry-After` in ms (RFC 9110 section 10.2.3): seconds, or a date, which ends in `GMT`. */
export function parseRetryAfter(value: string | null, now = Date.now()): number | undefined {
  if (value === null) return undefined;
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  // `Date.parse` alone accepts much more: `1.5` would be a day in the past.
  const date = value.endsWith(" GMT") ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
