import { HOUR } from "#runtime/durations";
import type { StoredEndpoint } from "#webhooks/endpoints/stored-endpoint";
import { anEndpoint } from "./endpoint.ts";

/** The longest that a receiver that is not down takes, in ms. */
const LONGEST_RESPONSE_MS = 9_999;

/** An endpoint as the table has it, and when and how its receiver is down. Times are in ms. */
export interface Receiver {
  endpoint: StoredEndpoint;
  readonly down?: { readonly from: number; readonly until: number; readonly hangs: boolean };
}

/** Receivers of which a share goes down in the first 16 hours: for two to eight hours, one in ten for good. */
export function failingReceivers(
  { endpoints, down }: { readonly endpoints: number; readonly down: number },
  random: () => number,
): Receiver[] {
  return Array.from({ length: endpoints }, (_, index) => {
    if (index >= endpoints * down) return aReceiver(index);
    const from = random() * 16 * HOUR;
    const forGood = random() < 0.1;
    const until = forGood ? Number.POSITIVE_INFINITY : from + (2 + 6 * random()) * HOUR;
    return { ...aReceiver(index), down: { from, until, hangs: random() < 0.5 } };
  });
}

/** Receivers of which a share stops to respond at one moment, in ms. */
export function hangingReceivers({
  endpoints,
  down,
  from,
}: {
  readonly endpoints: number;
  readonly down: number;
  readonly from: number;
}): Receiver[] {
  return Array.from({ length: endpoints }, (_, index) =>
    index < endpoints * down
      ? { ...aReceiver(index), down: { from, until: Number.POSITIVE_INFINITY, hangs: true } }
      : aReceiver(index),
  );
}

function aReceiver(index: number): Receiver {
  const endpoint = anEndpoint(String(index), "https://receiver.example.com/");
  return { endpoint: { ...endpoint, lastSuccessAt: "1970-01-01T00:00:00.000Z" } };
}

/** Log-normal (Box and Muller): a median of 80 ms, one in a hundred over 600 ms, never beyond the timeout. */
export function responseTime(random: () => number): number {
  const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return Math.min(LONGEST_RESPONSE_MS, 80 * Math.exp(0.87 * normal));
}
