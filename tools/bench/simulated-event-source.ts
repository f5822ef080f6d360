import { MINUTE, SECOND } from "#runtime/durations";
import type { Delivery } from "#webhooks/delivery/delivery";
import { type BatchConcurrency, leastPollers, mostBatches } from "../../infra/delivery-limits.ts";

/** How finely queues are looked at, in ms. */
export const TICK_MS = 50;

/** How long a receive waits for messages, in ms; each free place for a batch has one under way. Assumed. */
const LONG_POLL_MS = 20 * SECOND;

/** The most messages of one receive (Amazon SQS API, ReceiveMessage). */
const RECEIVED = 10;

/**
 * How an event source without provisioned pollers scales: it starts with five batches at once, adds up to 300 a minute
 * while messages are available, and scales back to five (AWS Lambda developer guide, "Configuring scaling behavior for
 * SQS event source mappings").
 */
const STANDARD = { start: 5, addedPerSecond: 300 / 60 } as const;

/** The same section on one provisioned poller, and on how fast they are added. */
const POLLER = { batches: 10, receivesPerSecond: 10, batchesAddedPerSecond: 1_000 / 60 } as const;

/** How long an unused execution environment is kept, in ms. Assumed: AWS does not document it. */
const KEPT_WARM_MS = 10 * MINUTE;

/** How a queue's event source is set. */
export interface EventSourceSettings {
  readonly batchSize: number;
  /** How long a batch that is not full waits for more, in seconds; a batch of more than ten needs it. */
  readonly windowSeconds?: number;
  readonly concurrency: BatchConcurrency;
  /** So many queues share the messages, each with an event source of its own; one if absent. */
  readonly queues?: number;
}

/** When and where a batch starts. */
export interface Start {
  readonly at: number;
  /** Whether it waits for a new execution environment. */
  readonly isCold: boolean;
}

/** Makes the attempts of a batch, and returns when the last of them ends. */
type Work = (batch: readonly Delivery[], start: Start) => Promise<number>;

/** A queue and its event source on the simulated clock: as many batches at once as AWS would start. */
export class SimulatedEventSource {
  readonly #settings: EventSourceSettings;
  #messages: Delivery[] = [];
  #taken = 0;
  /** When the batches under way end. */
  readonly #busy = new Heap();
  /** When the unused execution environments were last used, in the order in which they became free. */
  readonly #warm: number[] = [];
  /** The batches that may run at once now. */
  #scale: number;
  /** The most batches at once in this minute. */
  #used = 0;
  #receivesLeft = 0;
  /** Whether messages were left when all batches had started that may run at once. */
  #isBehind = false;
  #waitingSince: number | undefined;
  #pollerMs = 0;
  #emptyReceives = 0;

  constructor(settings: EventSourceSettings) {
    this.#settings = settings;
    this.#scale = this.#leastScale;
  }

  get depth(): number {
    return this.#messages.length - this.#taken;
  }

  /** What is billed although there are no messages. */
  get standing(): { readonly pollerHours: number; readonly emptyReceives: number } {
    return { pollerHours: this.#pollerMs / (60 * MINUTE), emptyReceives: this.#emptyReceives };
  }

  push(...messages: readonly Delivery[]): void {
    for (const message of messages) this.#messages.push(message);
  }

  /** Takes what is there, as long as a batch may start before the next tick. */
  async consume(now: number, work: Work): Promise<void> {
    this.#adjust(now);
    this.#endBefore(now);
    while (this.#canStart(now)) {
      const startsAt = Math.max(now, this.#busy.size < this.#scale ? now : this.#busy.least);
      if (startsAt >= now + TICK_MS) break;
      this.#endBefore(startsAt);
      const batch = this.#take();
      const isCold = startsAt - (this.#warm.pop() ?? Number.NEGATIVE_INFINITY) >= KEPT_WARM_MS;
      this.#busy.add(await work(batch, { at: startsAt, isCold }));
      this.#used = Math.max(this.#used, this.#busy.size);
    }
    this.#isBehind = this.depth > 0;
    this.#compact();
  }

  get #isProvisioned(): boolean {
    return "provisioned" in this.#settings.concurrency;
  }

  get #leastScale(): number {
    const { concurrency, queues = 1 } = this.#settings;
    if (this.#isProvisioned) return leastPollers(concurrency) * POLLER.batches;
    return Math.min(queues * STANDARD.start, mostBatches(concurrency));
  }

  get #addedPerSecond(): number {
    const { queues = 1 } = this.#settings;
    return this.#isProvisioned ? POLLER.batchesAddedPerSecond : queues * STANDARD.addedPerSecond;
  }

  /** Once a second up, while messages are left; once a minute back to what was used. */
  #adjust(now: number): void {
    this.#emptyReceives += ((this.#scale - this.#busy.size) * TICK_MS) / LONG_POLL_MS;
    if (this.#isProvisioned) {
      const pollers = this.#scale / POLLER.batches;
      this.#pollerMs += pollers * TICK_MS;
      this.#receivesLeft = Math.min(
        pollers,
        this.#receivesLeft + (pollers * POLLER.receivesPerSecond * TICK_MS) / SECOND,
      );
    } else this.#receivesLeft = Number.POSITIVE_INFINITY;
    if (now % SECOND === 0 && this.#isBehind) {
      this.#scale = Math.min(mostBatches(this.#settings.concurrency), this.#scale + this.#addedPerSecond);
      this.#used = this.#scale;
    }
    if (now % MINUTE === 0) {
      this.#scale = Math.max(this.#leastScale, Math.min(this.#scale, this.#used));
      this.#used = this.#busy.size;
    }
  }

  #canStart(now: number): boolean {
    if (this.depth === 0 || this.#receivesLeft < 1) return false;
    const { batchSize, windowSeconds = 0 } = this.#settings;
    if (windowSeconds === 0 || this.depth >= batchSize) return true;
    this.#waitingSince ??= now;
    if (now - this.#waitingSince < windowSeconds * SECOND) return false;
    this.#waitingSince = undefined;
    return true;
  }

  /** Every free poller waits for messages, and each gets a part of what is there. */
  #take(): Delivery[] {
    const { batchSize, windowSeconds = 0 } = this.#settings;
    const free = Math.max(
      1,
      Math.min(Math.floor(this.#scale) - this.#busy.size, Math.floor(this.#receivesLeft)),
    );
    const share = windowSeconds > 0 ? batchSize : Math.ceil(this.depth / free);
    const batch = this.#messages.slice(this.#taken, this.#taken + Math.min(batchSize, share));
    this.#taken += batch.length;
    this.#receivesLeft -= Math.ceil(batch.length / RECEIVED);
    return batch;
  }

  #endBefore(moment: number): void {
    while (this.#busy.size > 0 && this.#busy.least <= moment) this.#warm.push(this.#busy.take());
  }

  #compact(): void {
    if (this.#taken <= 10_000) return;
    this.#messages = this.#messages.slice(this.#taken);
    this.#taken = 0;
  }
}

/** Numbers of which the least is at hand. */
class Heap {
  readonly #values: number[] = [];

  get size(): number {
    return this.#values.length;
  }

  get least(): number {
    return this.#values[0] ?? Number.POSITIVE_INFINITY;
  }

  add(value: number): void {
    let index = this.#values.push(value) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (this.#at(parent) <= value) break;
      this.#values[index] = this.#at(parent);
      index = parent;
    }
    this.#values[index] = value;
  }

  take(): number {
    const least = this.least;
    const last = this.#values.pop() ?? least;
    if (this.size > 0) this.#sink(last);
    return least;
  }

  #sink(value: number): void {
    let index = 0;
    for (;;) {
      const left = 2 * index + 1;
      const child = this.#at(left + 1) < this.#at(left) ? left + 1 : left;
      if (this.#at(child) >= value) break;
      this.#values[index] = this.#at(child);
      index = child;
    }
    this.#values[index] = value;
  }

  #at(index: number): number {
    return this.#values[index] ?? Number.POSITIVE_INFINITY;
  }
}
