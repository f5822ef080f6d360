import type { DeliveryService } from "#webhooks/delivery/delivery-service";
import { failureAttributes, failureCounterOf } from "#webhooks/endpoints/endpoint-health";
import { laneOf } from "#webhooks/endpoints/lane";
import {
  PACE_ATTRIBUTES,
  type Pace,
  paceAfter,
  paceAfterCut,
  paceAfterLateFailure,
} from "#webhooks/endpoints/pace";
import type { StoredEndpoint } from "#webhooks/endpoints/stored-endpoint";
import { TICK_MS } from "./simulated-event-source.ts";
import type { Receiver } from "./simulated-receivers.ts";

/** The endpoints of receivers, whose health changes as in the table. */
export class SimulatedEndpoints {
  readonly #receivers: readonly Receiver[];
  /** In ms. */
  readonly #now: () => number;
  /** What a response shows of its endpoint is known when it arrives, by the tick. */
  readonly #notes = new Map<number, (() => void)[]>();

  constructor(receivers: readonly Receiver[], now: () => number) {
    this.#receivers = receivers;
    this.#now = now;
  }

  get count(): number {
    return this.#receivers.length;
  }

  /** The number of ticks for which something is noted. */
  get pendingNotes(): number {
    return this.#notes.size;
  }

  receiverOf(endpointId: string): Receiver {
    const receiver = this.#receivers[Number(endpointId)];
    if (!receiver) throw new Error(`There is no endpoint ${endpointId}.`);
    return receiver;
  }

  /** Makes what is noted for a tick, which begins at a time in ms. */
  applyNotes(now: number): void {
    for (const note of this.#notes.get(now / TICK_MS) ?? []) note();
    this.#notes.delete(now / TICK_MS);
  }

  readonly health: DeliveryService["health"] = {
    succeeded: async (endpoint, durationMs) => {
      const pace = paceAfter(endpoint, durationMs, new Date(this.#now()));
      if (endpoint.failingSince === undefined && !pace) return;
      const receiver = this.receiverOf(endpoint.id);
      this.#whenResponded(() => {
        const others = without(receiver.endpoint, failureAttributes(new Date(this.#now())));
        receiver.endpoint = pace ? withPace(others, pace) : others;
      });
    },
    suspected: async ({ id }) => {
      const receiver = this.receiverOf(id);
      const suspectedSince = new Date(this.#now()).toISOString();
      this.#whenResponded(() => {
        if (laneOf(receiver.endpoint) === "delivery")
          receiver.endpoint = withPace(receiver.endpoint, { suspectedSince });
      });
    },
    cut: async ({ id }, lane) => {
      const receiver = this.receiverOf(id);
      const pace = paceAfterCut(lane, new Date(this.#now()));
      this.#whenResponded(() => {
        const { slowSince, probationSince } = receiver.endpoint;
        const isKnown = slowSince !== undefined || (pace.probationSince && probationSince !== undefined);
        if (!isKnown) receiver.endpoint = withPace(receiver.endpoint, pace);
      });
    },
    failedLate: async (endpoint) => {
      const pace = paceAfterLateFailure(endpoint, new Date(this.#now()));
      const receiver = this.receiverOf(endpoint.id);
      if (pace) this.#whenResponded(() => (receiver.endpoint = withPace(receiver.endpoint, pace)));
    },
    askedToWait: async () => {},
    failed: async ({ id }) => {
      const receiver = this.receiverOf(id);
      const now = new Date(this.#now());
      const failing = (endpoint: StoredEndpoint): StoredEndpoint => ({
        failingSince: now.toISOString(),
        ...endpoint,
        [failureCounterOf(now)]: (endpoint[failureCounterOf(now)] ?? 0) + 1,
      });
      const failed = failing(receiver.endpoint);
      this.#whenResponded(() => {
        receiver.endpoint = failing(receiver.endpoint);
      });
      return failed;
    },
    deactivate: async ({ id }) => {
      const receiver = this.receiverOf(id);
      receiver.endpoint = { ...receiver.endpoint, active: false };
      return true;
    },
  };

  #whenResponded(note: () => void): void {
    const tick = Math.ceil(this.#now() / TICK_MS);
    this.#notes.set(tick, [...(this.#notes.get(tick) ?? []), note]);
  }
}

/** An endpoint with another pace. */
function withPace(endpoint: StoredEndpoint, pace: Pace): StoredEndpoint {
  return { ...without(endpoint, PACE_ATTRIBUTES), ...pace };
}

function without(endpoint: StoredEndpoint, names: readonly string[]): StoredEndpoint {
  const others = Object.entries(endpoint).filter(([name]) => !names.includes(name));
  return Object.fromEntries(others) as unknown as StoredEndpoint;
}
