import { type DeliveryService, deliver } from "#webhooks/delivery/deliver";
import type { Delivery } from "#webhooks/delivery/delivery";
import type { AttemptResult, Patience } from "#webhooks/delivery/webhook-client";
import type { DeliveryEndpoint } from "#webhooks/endpoints/delivery-endpoint";
import { LANES, type Lane, laneOf } from "#webhooks/endpoints/lane";
import { PACE_ATTRIBUTES, type Pace, paceAfter } from "#webhooks/endpoints/pace";
import { seeded } from "../seeded.ts";
import { anEndpoint } from "./endpoint.ts";
import { anEventBody } from "./event-body.ts";

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const DAY = 24 * HOUR;

/** The longest that SQS delays a message, in seconds, and the most of them in a batch (Amazon SQS quotas). */
const LONGEST_DELAY = 900;
const BATCH = 10;
/** How finely queues are looked at, in ms. */
const TICK = 50;
/** What a delivery takes besides the receiver, for the table and the queue, in ms. */
const OWN_TIME = 15;
/** The longest that a receiver that is not down takes, in ms. */
const LONGEST_RESPONSE = 10 * SECOND - 1;
const BURST_SECONDS = 10;
const BURSTS_A_DAY = 24;

export interface Simulated {
  /** Over the day, one delivery each. */
  readonly events: number;
  readonly endpoints: number;
  /**
   * The share of endpoints that go down: half of them hang, half answer 500; for two to eight hours, one
   * in ten for good.
   */
  readonly down: number;
  /** Events a second in the ten seconds at the beginning of each hour; the others come evenly. */
  readonly burst: number;
  /** Batches under way at once, by the queue they come from. */
  readonly concurrency: Readonly<Record<Lane, number>>;
  /** Whether slow and failing endpoints have a queue of their own, as they do; without one, to see what it is for. */
  readonly retryQueue: boolean;
}

/** Times are in ms, from the event to the answer that acknowledged it. */
export interface SimulationResult {
  readonly delivered: number;
  readonly deadLettered: number;
  readonly healthyDelay: Percentiles;
  /** Of endpoints that were down at some time of the day. */
  readonly failingDelay: Percentiles;
  /** The most messages that waited at once. */
  readonly deepest: Readonly<Record<Lane | "delayed", number>>;
  readonly attempts: number;
  readonly messagesSent: number;
  readonly batches: number;
  /** What Lambda bills: the time that batches took together, in seconds. */
  readonly batchSeconds: number;
  readonly hoursToTheLast: number;
}

interface Percentiles {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** An endpoint as the table has it, and when and how its receiver is down. */
interface Receiver {
  endpoint: DeliveryEndpoint;
  readonly down?: { readonly from: number; readonly until: number; readonly hangs: boolean };
}

/**
 * A day of deliveries on a controlled clock: the service's own `deliver`, with its schedule, its lanes and
 * its signature, between queues, consumers and receivers that do nothing but take their time.
 */
export function simulateDelivery(simulated: Simulated): Promise<SimulationResult> {
  return new Simulation(simulated).run();
}

class Simulation {
  readonly #simulated: Simulated;
  readonly #random = seeded(1);
  readonly #receivers: readonly Receiver[];
  readonly #queues: Readonly<Record<Lane, ConsumedQueue>>;
  /** What SQS holds back, by the second in which it shows it. */
  readonly #delayed = new Map<number, Delivery[]>();
  /** What an answer says of its endpoint is known when it comes, by the tick. */
  readonly #notes = new Map<number, (() => void)[]>();
  readonly #service: DeliveryService;
  readonly #healthy = new Delays();
  readonly #failing = new Delays();
  readonly #deepest = { delivery: 0, retry: 0, delayed: 0 };
  readonly #counted = { deadLettered: 0, attempts: 0, sent: 0, delayed: 0, batches: 0, batchMs: 0 };
  #clock = 0;
  #lastDoneAt = 0;
  /** Whose try is being made. */
  #receiver: Receiver | undefined;

  constructor(simulated: Simulated) {
    this.#simulated = simulated;
    const down = Math.round(simulated.endpoints * simulated.down);
    this.#receivers = Array.from({ length: simulated.endpoints }, (_, index) =>
      aReceiver(String(index), index < down, this.#random),
    );
    this.#queues = {
      delivery: new ConsumedQueue(simulated.concurrency.delivery),
      retry: new ConsumedQueue(simulated.concurrency.retry),
    };
    this.#service = this.#serviceOnTheClock();
  }

  async run(): Promise<SimulationResult> {
    const { events } = this.#simulated;
    for (let second = 0; this.#done < events; second++) {
      const due = this.#delayed.get(second) ?? [];
      this.#delayed.delete(second);
      this.#counted.delayed -= due.length;
      this.#retries.push(...due);
      const arriving = this.#arrivingIn(second);
      if (arriving === 0 && this.#isIdle) continue;
      for (let tick = 0; tick < SECOND / TICK; tick++) {
        const first = Math.round((arriving * tick * TICK) / SECOND);
        const next = Math.round((arriving * (tick + 1) * TICK) / SECOND);
        await this.#tick(second * SECOND + tick * TICK, next - first);
      }
    }
    return {
      delivered: this.#healthy.count + this.#failing.count,
      deadLettered: this.#counted.deadLettered,
      healthyDelay: this.#healthy.percentiles(),
      failingDelay: this.#failing.percentiles(),
      deepest: this.#deepest,
      attempts: this.#counted.attempts,
      messagesSent: this.#counted.sent,
      batches: this.#counted.batches,
      batchSeconds: Math.round(this.#counted.batchMs / SECOND),
      hoursToTheLast: this.#lastDoneAt / HOUR,
    };
  }

  get #done(): number {
    return this.#healthy.count + this.#failing.count + this.#counted.deadLettered;
  }

  get #isIdle(): boolean {
    return this.#queues.delivery.depth + this.#queues.retry.depth + this.#notes.size === 0;
  }

  get #retries(): ConsumedQueue {
    return this.#queues[this.#simulated.retryQueue ? "retry" : "delivery"];
  }

  async #tick(now: number, arriving: number): Promise<void> {
    for (const note of this.#notes.get(now / TICK) ?? []) note();
    this.#notes.delete(now / TICK);
    for (let index = 0; index < arriving; index++) this.#queues.delivery.push(this.#anEvent(now));
    this.#counted.sent += arriving;
    for (const lane of LANES) {
      const queue = this.#queues[lane];
      this.#deepest[lane] = Math.max(this.#deepest[lane], queue.depth);
      await queue.consume(now, (batch, startsAt) => this.#work(lane, batch, startsAt));
    }
  }

  /** Bursts at the beginning of each hour; what they leave of the day's events comes evenly. */
  #arrivingIn(second: number): number {
    const { events, burst } = this.#simulated;
    if (second >= DAY / SECOND) return 0;
    if (second % (HOUR / SECOND) < BURST_SECONDS) return burst;
    const rest = events - burst * BURST_SECONDS * BURSTS_A_DAY;
    const seconds = DAY / SECOND - BURST_SECONDS * BURSTS_A_DAY;
    const quiet = second - BURST_SECONDS * (Math.floor(second / (HOUR / SECOND)) + 1);
    return Math.round((rest * (quiet + 1)) / seconds) - Math.round((rest * quiet) / seconds);
  }

  #anEvent(now: number): Delivery {
    return {
      orgId: "simulated",
      endpointId: String(Math.floor(this.#random() * this.#receivers.length)),
      eventId: String(now),
      eventType: "candidate.received",
      body: BODY,
      attempt: 1,
      dueAt: new Date(now).toISOString(),
    };
  }

  /** Makes the attempts of a batch side by side, and answers when the slowest of them is done. */
  async #work(lane: Lane, batch: readonly Delivery[], startsAt: number): Promise<number> {
    let endsAt = startsAt;
    for (const delivery of batch) {
      this.#clock = startsAt + OWN_TIME;
      this.#receiver = this.#receiverOf(delivery.endpointId);
      const outcome = await deliver(delivery, {
        ...this.#service,
        lane: this.#simulated.retryQueue ? lane : "retry",
      });
      const status = outcome?.status;
      if (status === "delivered") {
        (this.#receiver.down ? this.#failing : this.#healthy).add(this.#clock - Number(delivery.eventId));
      }
      if (status !== "pending") this.#lastDoneAt = Math.max(this.#lastDoneAt, this.#clock);
      endsAt = Math.max(endsAt, this.#clock);
    }
    this.#counted.batches += 1;
    this.#counted.batchMs += endsAt - startsAt;
    return endsAt;
  }

  #receiverOf(endpointId: string): Receiver {
    const receiver = this.#receivers[Number(endpointId)];
    if (!receiver) throw new Error(`There is no endpoint ${endpointId}.`);
    return receiver;
  }

  #whenAnswered(note: () => void): void {
    const tick = Math.ceil(this.#clock / TICK);
    this.#notes.set(tick, [...(this.#notes.get(tick) ?? []), note]);
  }

  #serviceOnTheClock(): DeliveryService {
    return {
      lane: "delivery",
      schedule: "standard",
      now: () => new Date(this.#clock),
      random: this.#random,
      endpoints: {
        find: async (_orgId, id) => this.#receiverOf(id).endpoint,
      },
      health: {
        succeeded: async (endpoint, durationMs) => {
          const pace = paceAfter(endpoint, durationMs, new Date(this.#clock));
          if (endpoint.failingSince === undefined && !pace) return;
          const receiver = this.#receiverOf(endpoint.id);
          this.#whenAnswered(() => {
            const { failingSince: _, ...others } = receiver.endpoint;
            receiver.endpoint = pace ? withPace(others, pace) : others;
          });
        },
        suspected: async ({ id }) => {
          const receiver = this.#receiverOf(id);
          const suspectedSince = new Date(this.#clock).toISOString();
          this.#whenAnswered(() => {
            if (laneOf(receiver.endpoint) === "delivery")
              receiver.endpoint = withPace(receiver.endpoint, { suspectedSince });
          });
        },
        slowed: async ({ id }) => {
          const receiver = this.#receiverOf(id);
          const slowSince = new Date(this.#clock).toISOString();
          this.#whenAnswered(() => {
            if (receiver.endpoint.slowSince === undefined)
              receiver.endpoint = withPace(receiver.endpoint, { slowSince });
          });
        },
        failed: async ({ id }) => {
          const receiver = this.#receiverOf(id);
          if (receiver.endpoint.failingSince) return receiver.endpoint;
          const failingSince = new Date(this.#clock).toISOString();
          this.#whenAnswered(() => {
            receiver.endpoint = { failingSince, ...receiver.endpoint };
          });
          return { failingSince, ...receiver.endpoint };
        },
        deactivate: async ({ id }) => {
          const receiver = this.#receiverOf(id);
          receiver.endpoint = { ...receiver.endpoint, active: false };
          return true;
        },
      },
      signingSecrets: { open: async () => "whsec_simulated" },
      retries: { send: async (delivery) => this.#retry(delivery) },
      deadLetters: {
        send: async () => {
          this.#counted.deadLettered += 1;
        },
      },
      lives: { find: async () => ({ isErased: false, firstSequence: 1, externalId: "ext-1001" }) },
      log: { find: async () => undefined, record: async () => {} },
      client: { post: async (_url, _headers, _body, patience) => this.#post(patience) },
    };
  }

  #retry(delivery: Delivery): void {
    this.#counted.sent += 1;
    const wait = Math.ceil((Date.parse(delivery.dueAt) - this.#clock) / SECOND);
    if (wait <= 0) {
      this.#retries.push(delivery);
      return;
    }
    const shownIn = Math.ceil(this.#clock / SECOND) + Math.min(wait, LONGEST_DELAY);
    const others = this.#delayed.get(shownIn);
    if (others) others.push(delivery);
    else this.#delayed.set(shownIn, [delivery]);
    this.#counted.delayed += 1;
    this.#deepest.delayed = Math.max(this.#deepest.delayed, this.#counted.delayed);
  }

  #post({ timeout, slowAfter, onSlow = () => {} }: Patience): AttemptResult {
    const { down } = this.#receiver ?? {};
    const startedAt = this.#clock;
    const isDown = down !== undefined && startedAt >= down.from && startedAt < down.until;
    const duration = isDown && down.hangs ? Number.POSITIVE_INFINITY : Math.round(responseTime(this.#random));
    this.#counted.attempts += 1;
    if (slowAfter !== undefined && duration > slowAfter) {
      this.#clock = startedAt + slowAfter;
      onSlow();
    }
    const durationMs = Math.min(duration, timeout);
    this.#clock = startedAt + durationMs;
    if (duration > timeout) return { durationMs, failure: "timeout" };
    return { durationMs, statusCode: isDown ? 500 : 204 };
  }
}

/** A queue and the consumer that takes batches from it, as many at once as it may. */
class ConsumedQueue {
  #messages: Delivery[] = [];
  #taken = 0;
  /** When each place for a batch is free again, in ms. */
  readonly #freeAt: number[];

  constructor(concurrency: number) {
    this.#freeAt = Array.from({ length: concurrency }, () => 0);
  }

  get depth(): number {
    return this.#messages.length - this.#taken;
  }

  push(...messages: readonly Delivery[]): void {
    for (const message of messages) this.#messages.push(message);
  }

  /** Takes what waits, as long as a place is free before the next tick. */
  async consume(
    now: number,
    work: (batch: readonly Delivery[], startsAt: number) => Promise<number>,
  ): Promise<void> {
    for (let place = 0; place < this.#freeAt.length && this.depth > 0; place++) {
      for (let free = this.#freeAt[place] ?? 0; free < now + TICK && this.depth > 0; ) {
        const batch = this.#messages.slice(this.#taken, this.#taken + BATCH);
        this.#taken += batch.length;
        free = await work(batch, Math.max(free, now));
        this.#freeAt[place] = free;
      }
    }
    if (this.#taken > 10_000) {
      this.#messages = this.#messages.slice(this.#taken);
      this.#taken = 0;
    }
  }
}

/** Delays in classes of 2 % each: ten million of them in a few kilobytes. */
class Delays {
  readonly #classes: number[] = [];
  #max = 0;
  count = 0;

  add(ms: number): void {
    const index = Math.floor(Math.log(Math.max(1, ms)) / Math.log(1.02));
    this.#classes[index] = (this.#classes[index] ?? 0) + 1;
    this.#max = Math.max(this.#max, ms);
    this.count += 1;
  }

  percentiles(): Percentiles {
    return { p50: this.#percentile(0.5), p99: this.#percentile(0.99), max: this.#max };
  }

  #percentile(share: number): number {
    let seen = 0;
    const index = this.#classes.findIndex((count = 0) => {
      seen += count;
      return seen >= share * this.count;
    });
    return Math.round(1.02 ** (index + 1));
  }
}

/** An endpoint with another pace. */
function withPace(endpoint: DeliveryEndpoint, pace: Pace): DeliveryEndpoint {
  const others = Object.entries(endpoint).filter(
    ([name]) => !(PACE_ATTRIBUTES as readonly string[]).includes(name),
  );
  return { ...Object.fromEntries(others), ...pace } as DeliveryEndpoint;
}

const BODY = anEventBody({ id: "evt_simulated", occurredAt: "2026-01-01T00:00:00.000Z" });

function aReceiver(id: string, goesDown: boolean, random: () => number): Receiver {
  const endpoint = anEndpoint(id, "https://receiver.example.com/");
  if (!goesDown) return { endpoint };
  const from = random() * 16 * HOUR;
  const forGood = random() < 0.1;
  const until = forGood ? Number.POSITIVE_INFINITY : from + (2 + 6 * random()) * HOUR;
  return { endpoint, down: { from, until, hangs: random() < 0.5 } };
}

/** Log-normal (Box and Muller): a median of 80 ms, one in a hundred over 600 ms, never beyond the timeout. */
function responseTime(random: () => number): number {
  const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return Math.min(LONGEST_RESPONSE, 80 * Math.exp(0.87 * normal));
}
