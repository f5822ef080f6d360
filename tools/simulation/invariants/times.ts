import { HOUR, MINUTE, SECOND } from "#runtime/durations";

/** Clocks are up to a second apart, and SQS delays in whole seconds, in ms. */
export const CLOCKS_MS = 2_500;
/**
 * From the moment that a function writes into an item, or that an attempt begins, until the write, in ms: requests are
 * repeated, or late.
 */
export const WRITTEN_MS = 90 * SECOND;

/**
 * The waits between the attempts of a delivery, in ms, each a fifth longer or shorter at random
 * (docs/guides/webhooks.md).
 */
export const WAITS = [
  5 * SECOND,
  MINUTE,
  5 * MINUTE,
  30 * MINUTE,
  ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR),
];
export const JITTER = 0.2;

/** A time in an item, in ms since 1970. */
export function timeOf(value: unknown): number {
  return Date.parse(String(value));
}
