import { SECOND } from "#runtime/durations";

// RFC 9110 section 5.6.7: the preferred format, RFC 850's and asctime's. Date.parse alone accepts much more.
const HTTP_DATE =
  /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} [\d:]{8} GMT$|^[A-Z][a-z]+day, \d\d-[A-Z][a-z]{2}-\d\d [\d:]{8} GMT$|^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d [\d:]{8} \d{4}$/;

/**
 * The wait in a `Retry-After` header, in ms from `now`: seconds or an HTTP date (RFC 9110 section 10.2.3). Undefined
 * if it is absent or neither. Spaces after the value do not belong to it (section 5.5), but undici leaves them there.
 */
export function parseRetryAfter(header: string | undefined, now: Date): number | undefined {
  if (header === undefined) return undefined;
  const value = header.trimEnd();
  if (/^\d+$/.test(value)) return Number(value) * SECOND;
  const date = HTTP_DATE.test(value) ? Date.parse(`${value.replace(/ GMT$/, "")} GMT`) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now.getTime());
}
