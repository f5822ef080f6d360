import { HOUR, SECOND } from "#runtime/durations";
import { LANES, type Lane } from "#webhooks/endpoints/lane";
import type { Deliveries } from "../costs/delivery-cost.ts";
import { Delays, type Percentiles } from "./delays.ts";
import type { SimulatedEventSource } from "./simulated-event-source.ts";
import type { Receiver } from "./simulated-receivers.ts";

/** The windows in which the worst 99th percentile is looked for, in ms. */
const WINDOW_MS = 10 * SECOND;

/** Times are in ms, from the event to the response that acknowledged it. */
export interface SimulationResult extends Deliveries {
  readonly delivered: number;
  readonly deadLettered: number;
  readonly healthyDelay: Percentiles;
  /** The highest 99th percentile of the events of ten seconds. */
  readonly worstHealthyP99: number;
  /** Of endpoints that were down at some time. */
  readonly failingDelay: Percentiles;
  /** The most messages that waited at once. */
  readonly deepest: Readonly<Record<Lane | "delayed", number>>;
  readonly attemptsCut: number;
  /** What Lambda bills, by the queue. */
  readonly secondsOf: Readonly<Record<Lane, number>>;
  readonly hoursToTheLast: number;
}

/** What a simulation of delivery counts and measures while it runs. */
export class DeliveryMeasurements {
  readonly #healthy = new Delays();
  readonly #windows = new Map<number, Delays>();
  readonly #failing = new Delays();
  readonly deepest = { delivery: 0, side: 0, retry: 0, delayed: 0 };
  readonly counted = {
    deadLettered: 0,
    attempts: 0,
    attemptsOfRetries: 0,
    cut: 0,
    sends: 0,
    delayed: 0,
    waits: 0,
    batches: 0,
  };
  readonly batchMs = { delivery: 0, side: 0, retry: 0 };

  get delivered(): number {
    return this.#healthy.count + this.#failing.count;
  }

  /** To receivers that were never down. */
  get deliveredHealthy(): number {
    return this.#healthy.count;
  }

  /** The delay of an event that has been delivered; its times are in ms. */
  addDelay(firedAt: number, deliveredAt: number, receiver: Receiver | undefined): void {
    const delay = deliveredAt - firedAt;
    if (receiver?.down) {
      this.#failing.add(delay);
      return;
    }
    const window = Math.floor(firedAt / WINDOW_MS);
    const delays = this.#windows.get(window) ?? new Delays();
    this.#windows.set(window, delays);
    delays.add(delay);
    this.#healthy.add(delay);
  }

  result({
    memory,
    standing,
    lastDoneAt,
  }: {
    readonly memory: Readonly<Record<Lane, number>>;
    readonly standing: readonly SimulatedEventSource["standing"][];
    /** When the last delivery ended, in ms. */
    readonly lastDoneAt: number;
  }): SimulationResult {
    const { deadLettered, attempts, attemptsOfRetries, cut, sends, waits, batches } = this.counted;
    return {
      delivered: this.delivered,
      deadLettered,
      healthyDelay: this.#healthy.percentiles(),
      worstHealthyP99: Math.max(...[...this.#windows.values()].map((window) => window.percentiles().p99)),
      failingDelay: this.#failing.percentiles(),
      deepest: this.deepest,
      attempts,
      attemptsOfRetries,
      attemptsCut: cut,
      sends,
      waits,
      batches,
      secondsOf: {
        delivery: this.batchMs.delivery / SECOND,
        side: this.batchMs.side / SECOND,
        retry: this.batchMs.retry / SECOND,
      },
      gigabyteSeconds: sumOf(LANES.map((lane) => (this.batchMs[lane] / SECOND) * (memory[lane] / 1024))),
      pollerHours: sumOf(standing.map(({ pollerHours }) => pollerHours)),
      emptyReceives: sumOf(standing.map(({ emptyReceives }) => emptyReceives)),
      hoursToTheLast: lastDoneAt / HOUR,
    };
  }
}

export function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
