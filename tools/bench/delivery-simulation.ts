import { SECOND } from "#runtime/durations";
import { deliver } from "#webhooks/delivery/deliver";
import type { Delivery } from "#webhooks/delivery/delivery";
import type { DeliveryService } from "#webhooks/delivery/delivery-service";
import type { AttemptResult, PostOptions } from "#webhooks/delivery/webhook-client";
import { LANES, type Lane, laneOf } from "#webhooks/endpoints/lane";
import { seeded } from "../seeded.ts";
import { DeliveryMeasurements, type SimulationResult, sumOf } from "./delivery-measurements.ts";
import { anEventBody } from "./event-body.ts";
import { SimulatedEndpoints } from "./simulated-endpoints.ts";
import {
  type EventSourceSettings,
  SimulatedEventSource,
  type Start,
  TICK_MS,
} from "./simulated-event-source.ts";
import { type Receiver, responseTime } from "./simulated-receivers.ts";

/** What a batch takes besides its receivers, for the table and the queue, in ms. */
const OWN_MS = 15;
/** The processor time of a delivery, with its share of a TLS handshake, in ms of one vCPU. Assumed. */
const PROCESSOR_MS = 3;
/** How long a batch waits until Lambda begins to start the function in a new execution environment, in ms. Assumed. */
const ENVIRONMENT_MS = 200;
/** The memory that has one vCPU, in MB (AWS Lambda quotas). */
const ONE_VCPU = 1_769;
/**
 * How long the start of the function then takes, in ms with any memory: "On-demand Lambda functions use a full vCPU
 * (non-throttled) [...] during its initialization phase" (AWS, Serverless Land, "Effectively running Java on
 * Serverless", "Utilize initialization phase"). Assumed; on two processors of a development machine it takes 150 ms
 * (docs/performance.md). It is billed (AWS Lambda's price page: "initialization code that is declared outside of the
 * handler").
 */
const START_MS = 300;
/** The longest that SQS delays a message, in seconds; what waits longer is an item in the table. */
const LONGEST_DELAY_SECONDS = 900;
/** How often publish-events is invoked: Lambda reads each of twelve stream shards four times a second. */
const PUBLISHED_PER_SECOND = 12 * 4;

export interface Simulated {
  /** How long events arrive, in seconds. */
  readonly seconds: number;
  /** The events of a second, one delivery each. */
  readonly arrivingIn: (second: number) => number;
  readonly receivers: (random: () => number) => readonly Receiver[];
  readonly eventSources: Readonly<Record<Lane, EventSourceSettings>>;
  /**
   * Whether slow and failing endpoints have queues of their own, as they do; without them, to see what they are for.
   */
  readonly retryQueue: boolean;
  /** The functions' memory, in MB. */
  readonly memory: Readonly<Record<Lane, number>>;
  /** Whether to go on until the retries are done, too, and not only the events of healthy receivers. */
  readonly withRetries: boolean;
}

/**
 * Deliveries on a controlled clock: the service's own `deliver`, with its schedule, its lanes and its signature,
 * between queues, event sources and receivers that do nothing but take their time.
 */
export function simulateDelivery(simulated: Simulated): Promise<SimulationResult> {
  return new Simulation(simulated).run();
}

class Simulation {
  readonly #simulated: Simulated;
  readonly #random = seeded(1);
  readonly #endpoints: SimulatedEndpoints;
  readonly #queues: Readonly<Record<Lane, SimulatedEventSource>>;
  /** What SQS holds back, by the second in which it shows it. */
  readonly #delayed = new Map<number, { readonly delivery: Delivery; readonly lane: Lane }[]>();
  readonly #service: DeliveryService;
  readonly #measured = new DeliveryMeasurements();
  /** The events of this second, by the queue that they are published to. */
  #published = { delivery: 0, side: 0, retry: 0 };
  #arrived = 0;
  #arrivedHealthy = 0;
  /** Of the time in which events arrive. */
  #standing: readonly SimulatedEventSource["standing"][] = [];
  #clock = 0;
  #lastDoneAt = 0;
  /** Whose attempt is being made. */
  #receiver: Receiver | undefined;

  constructor(simulated: Simulated) {
    this.#simulated = simulated;
    this.#endpoints = new SimulatedEndpoints(simulated.receivers(this.#random), () => this.#clock);
    const { delivery, side, retry } = simulated.eventSources;
    this.#queues = {
      delivery: new SimulatedEventSource(delivery),
      side: new SimulatedEventSource(side),
      retry: new SimulatedEventSource(retry),
    };
    this.#service = this.#serviceOnTheClock();
  }

  async run(): Promise<SimulationResult> {
    const { seconds, arrivingIn } = this.#simulated;
    for (let second = 0; second < seconds || this.#goesOn; second++) {
      const due = this.#delayed.get(second) ?? [];
      this.#delayed.delete(second);
      this.#measured.counted.delayed -= due.length;
      for (const { delivery, lane } of due) this.#queueOf(lane).push(delivery);
      if (second === seconds) this.#standing = LANES.map((lane) => this.#queues[lane].standing);
      const arriving = second < seconds ? arrivingIn(second) : 0;
      this.#arrived += arriving;
      this.#published = { delivery: 0, side: 0, retry: 0 };
      for (let tick = 0; tick < SECOND / TICK_MS; tick++) {
        const first = Math.round((arriving * tick * TICK_MS) / SECOND);
        const next = Math.round((arriving * (tick + 1) * TICK_MS) / SECOND);
        await this.#tick(second * SECOND + tick * TICK_MS, next - first);
        if (arriving === 0 && this.#isIdle) break;
      }
      this.#measured.counted.sends += sumOf(LANES.map((lane) => publishRequests(this.#published[lane])));
    }
    return this.#result();
  }

  #result(): SimulationResult {
    return this.#measured.result({
      memory: this.#simulated.memory,
      standing: this.#standing,
      lastDoneAt: this.#lastDoneAt,
    });
  }

  get #done(): number {
    return this.#measured.delivered + this.#measured.counted.deadLettered;
  }

  get #goesOn(): boolean {
    if (this.#simulated.withRetries) return this.#done < this.#arrived;
    return this.#measured.deliveredHealthy < this.#arrivedHealthy;
  }

  get #isIdle(): boolean {
    return sumOf(LANES.map((lane) => this.#queues[lane].depth)) + this.#endpoints.pendingNotes === 0;
  }

  #queueOf(lane: Lane): SimulatedEventSource {
    return this.#queues[this.#simulated.retryQueue ? lane : "delivery"];
  }

  async #tick(now: number, arriving: number): Promise<void> {
    this.#endpoints.applyNotes(now);
    for (let index = 0; index < arriving; index++) this.#publish(this.#anEvent(now));
    for (const lane of LANES) {
      const queue = this.#queues[lane];
      this.#measured.deepest[lane] = Math.max(this.#measured.deepest[lane], queue.depth);
      await queue.consume(now, (batch, start) => this.#work(lane, batch, start));
    }
  }

  /** Sends an event to the queue of its endpoint's lane, as publish-events does. */
  #publish(event: Delivery): void {
    const lane = this.#simulated.retryQueue
      ? laneOf(this.#endpoints.receiverOf(event.endpointId).endpoint)
      : "delivery";
    this.#published[lane] += 1;
    this.#queues[lane].push(event);
  }

  #anEvent(now: number): Delivery {
    const endpointId = String(Math.floor(this.#random() * this.#endpoints.count));
    if (!this.#endpoints.receiverOf(endpointId).down) this.#arrivedHealthy += 1;
    return {
      orgId: "simulated",
      endpointId,
      eventId: String(now),
      eventType: "candidate.received",
      body: BODY,
      attempt: 1,
      dueAt: new Date(now).toISOString(),
    };
  }

  /** Makes the attempts of a batch side by side, and returns when the slowest of them is done. */
  async #work(lane: Lane, batch: readonly Delivery[], { at, isCold }: Start): Promise<number> {
    const startsAt = isCold ? at + ENVIRONMENT_MS : at;
    const processorTime = (batch.length * PROCESSOR_MS * ONE_VCPU) / this.#simulated.memory[lane];
    const ownTime = OWN_MS + (isCold ? START_MS : 0) + processorTime;
    let endsAt = startsAt + ownTime;
    for (const delivery of batch) {
      this.#clock = startsAt + ownTime;
      this.#receiver = this.#endpoints.receiverOf(delivery.endpointId);
      const attemptsBefore = this.#measured.counted.attempts;
      const outcome = await deliver(delivery, {
        ...this.#service,
        lane: this.#simulated.retryQueue ? lane : "retry",
      });
      if (lane === "retry" || delivery.attempt > 1)
        this.#measured.counted.attemptsOfRetries += this.#measured.counted.attempts - attemptsBefore;
      if (outcome?.attemptCut) this.#measured.counted.cut += 1;
      if (outcome?.status === "delivered")
        this.#measured.addDelay(Number(delivery.eventId), this.#clock, this.#receiver);
      if (outcome?.status !== "pending") this.#lastDoneAt = Math.max(this.#lastDoneAt, this.#clock);
      endsAt = Math.max(endsAt, this.#clock);
    }
    this.#measured.counted.batches += 1;
    this.#measured.batchMs[lane] += endsAt - startsAt;
    return endsAt;
  }

  #serviceOnTheClock(): DeliveryService {
    return {
      lane: "delivery",
      schedule: "standard",
      now: () => new Date(this.#clock),
      random: this.#random,
      endpoints: {
        find: async (_orgId, id) => this.#endpoints.receiverOf(id).endpoint,
      },
      health: this.#endpoints.health,
      signingSecrets: { open: async () => "whsec_simulated" },
      retries: { send: async (delivery, lane) => this.#retry(delivery, lane) },
      deadLetters: {
        send: async () => {
          this.#measured.counted.deadLettered += 1;
        },
        park: async () => {},
      },
      lives: { find: async () => ({ isErased: false, firstSequence: 1, externalId: "ext-1001" }) },
      log: { find: async () => undefined, record: async () => {} },
      client: { post: async (_url, _headers, _body, options) => this.#post(options) },
    };
  }

  #retry(delivery: Delivery, lane: Lane): void {
    const wait = Math.ceil((Date.parse(delivery.dueAt) - this.#clock) / SECOND);
    if (wait > LONGEST_DELAY_SECONDS) this.#measured.counted.waits += 1;
    else this.#measured.counted.sends += 1;
    if (wait <= 0) {
      this.#queueOf(lane).push(delivery);
      return;
    }
    const shownIn = Math.ceil(this.#clock / SECOND) + wait;
    const others = this.#delayed.get(shownIn);
    if (others) others.push({ delivery, lane });
    else this.#delayed.set(shownIn, [{ delivery, lane }]);
    this.#measured.counted.delayed += 1;
    this.#measured.deepest.delayed = Math.max(this.#measured.deepest.delayed, this.#measured.counted.delayed);
  }

  #post({ timeout, late }: PostOptions): AttemptResult {
    const { down } = this.#receiver ?? {};
    const startedAt = this.#clock;
    const isDown = down !== undefined && startedAt >= down.from && startedAt < down.until;
    const duration = isDown && down.hangs ? Number.POSITIVE_INFINITY : Math.round(responseTime(this.#random));
    this.#measured.counted.attempts += 1;
    if (late && duration > late.after) {
      this.#clock = startedAt + late.after;
      late.report();
    }
    const durationMs = Math.min(duration, timeout);
    this.#clock = startedAt + durationMs;
    if (duration > timeout) return { durationMs, failure: "timeout" };
    return { durationMs, statusCode: isDown ? 500 : 204 };
  }
}

/** How many requests send the events of a second to the delivery queue, ten in each at most. */
function publishRequests(events: number): number {
  return Math.max(Math.min(events, PUBLISHED_PER_SECOND), Math.ceil(events / 10));
}

const BODY = anEventBody({ id: "evt_simulated", occurredAt: "2026-01-01T00:00:00.000Z" });
