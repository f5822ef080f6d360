import { DAY, HOUR, MINUTE, SECOND } from "#runtime/durations";
import { registration } from "./operation-choice.ts";
import type { Behaviour, Subscriber, TimedOperation } from "./operations.ts";
import type { Random } from "./random.ts";
import { LETTERS_AT, type Length } from "./story-length.ts";

/**
 * The share of stories whose endpoints have responded before anything else happens, and the time that this takes, in
 * ms.
 */
const SETTLED = 0.7;
const SETTLING_MS = 5 * SECOND;

/** When endpoints have been registered and have responded, in ms; 0 if the story does not wait for that. */
export function settledAt(random: Random, spread: number): number {
  return random.chance(SETTLED) ? spread / 20 + SETTLING_MS : 0;
}

/** A subscriber whose endpoint nothing changes, and whose receiver fails until dead letters are redriven. */
export function lastingSubscriber(random: Random, orgId = "acme", from: number): Subscriber {
  return {
    orgId,
    url: "https://receiver-lasting.example.com/hooks",
    behaviour: {
      kind: random.pick(["fails", "hangs", "redirects"]),
      from,
      until: LETTERS_AT + random.pick([0, HOUR]),
    },
  };
}

/** Registers an endpoint for every other subscriber, and sends a sample to each of them. */
export function settlementOf(random: Random, subscribers: number, spread: number): TimedOperation[] {
  const indexes = Array.from({ length: subscribers }, (_, subscriber) => subscriber);
  return [
    ...indexes.slice(1).map((subscriber): TimedOperation => [spread / 20, registration(random, subscriber)]),
    ...indexes.map(
      (subscriber): TimedOperation => [spread / 20 + SETTLING_MS / 5, { name: "test", subscriber }],
    ),
  ];
}

/**
 * How a receiver behaves.
 *
 * @param from when the behaviour begins: until then the receiver works
 */
export function behaviourOf(random: Random, length: Length, from: number): Behaviour {
  const kind = random.weighted({
    "takes all": 50,
    hangs: 5,
    fails: 10,
    unavailable: 5,
    gone: 4,
    redirects: 2,
    flaky: 12,
    "loses its responses": 8,
    slow: 4,
  });
  const until = random.pick([SECOND, 10 * SECOND, 2 * MINUTE, 8 * MINUTE]);
  // Deliveries to a receiver that fails for hours are retried for more than a day: such stories take the most time.
  if (length === "week") return { kind: random.pick(["fails", "hangs"]), from, until: 8 * DAY };
  const isLonger = length === "hours";
  return { kind, from, until: from + (isLonger ? random.pick([until, 40 * MINUTE, 33 * HOUR]) : until) };
}
