import { setTimeout as delay } from "node:timers/promises";
import { runtime } from "#runtime/runtime";
import { deliver } from "#webhooks/delivery/deliver";
import type { Delivery } from "#webhooks/delivery/delivery";
import type { DeliveryService } from "#webhooks/delivery/delivery-service";
import { guardedAgent, WebhookClient } from "#webhooks/delivery/webhook-client";
import { AllowedNetworks } from "#webhooks/endpoints/delivery-address";
import { LANES, type Lane } from "#webhooks/endpoints/lane";
import { type Pace, paceAfterCut } from "#webhooks/endpoints/pace";
import { newSigningSecret } from "#webhooks/endpoints/signature";
import type { StoredEndpoint } from "#webhooks/endpoints/stored-endpoint";
import { type BatchConcurrency, mostBatches } from "../../../infra/delivery-limits.ts";
import { environments } from "../../../infra/environments.ts";
import { anEndpoint } from "../endpoint.ts";
import { anEventBody } from "../event-body.ts";
import { type Benchmark, type Figure, percentile } from "../figure.ts";
import { startProcess } from "../processes.ts";

const ENDPOINTS = 100;
const EVENTS_PER_SECOND = 100;
/** Amazon SQS's most for a batch. */
const BATCH = 10;
/** More batches at once would only take processor time from the receivers, which are on the same machine. */
const MOST_BATCHES = 100;
/** What the table and the queue take of each delivery, in ms. */
const OWN_MS = 15;
/** How often an idle consumer looks for messages, and how often events arrive, in ms. */
const TICK_MS = 10;
const WARM_UP_MS = 3_000;
const WINDOW_MS = 10_000;
/** How long after the end of a window its last deliveries may still arrive, in ms. */
const LATE_MS = 3_000;

const SECRET = newSigningSecret(runtime.randomBytes);

/** The goals for the first window, by the share of receivers that begin to hang, in ms. */
const CASES = [
  { share: 0.01, goalMs: 500 },
  { share: 0.1, goalMs: 800 },
  { share: 0.3, goalMs: 1_500 },
] as const;
/** The goal for the second window, in ms. */
const LATER_GOAL_MS = 800;

export const benchmark: Benchmark = {
  title: "Hanging receivers",
  method:
    "The service's own `deliver`, with the queues and consumers of the production environment, sends a hundred events a second to a hundred real receivers. Then some receivers stop responding. The figures show how long the events of the others take from the queue to the response, and how many arrive: in the first ten seconds, in which the hanging endpoints are recognised, and in the ten seconds after that.",
  async measure() {
    process.env["POWERTOOLS_LOG_LEVEL"] = "SILENT";
    const receivers = await startProcess<{ http: string }>("receivers.ts");
    const figures: Figure[] = [];
    for (const { share, goalMs } of CASES) {
      const consumers = new Consumers(receivers.ready.http);
      await delay(WARM_UP_MS);
      consumers.hang(share);
      const first = await consumers.window();
      const later = await consumers.window();
      await delay(LATE_MS);
      await consumers.stop();
      const name = `${share * 100} % of receivers begin to hang`;
      figures.push(
        { name: `${name}: the others' p99 in the first ten seconds`, ...p99(first, goalMs) },
        { name: `${name}: the others' p99 in the next ten seconds`, ...p99(later, LATER_GOAL_MS) },
        {
          name: `${name}: events of the others that arrived`,
          value: (100 * arrived([...first, ...later])) / (first.length + later.length),
          unit: "%",
          goal: { atLeast: 100 },
        },
      );
    }
    await receivers.stop();
    return figures;
  },
};

function p99(deliveries: readonly Arrival[], atMost: number): Pick<Figure, "value" | "unit" | "goal"> {
  const delays = deliveries.flatMap(({ tookMs }) => tookMs ?? []);
  return { value: percentile(delays, 0.99), unit: "ms", goal: { atMost } };
}

function arrived(deliveries: readonly Arrival[]): number {
  return deliveries.filter(({ tookMs }) => tookMs !== undefined).length;
}

/** An event to a receiver that never hangs. */
interface Arrival {
  readonly at: number;
  /** From the queue to the response; absent until then. */
  tookMs?: number;
}

/** The two queues and what consumes them, as the event sources of the stack do. */
class Consumers {
  readonly #client = new WebhookClient(guardedAgent(AllowedNetworks.parse("127.0.0.0/8")));
  readonly #endpoints: StoredEndpoint[];
  readonly #queues: Readonly<Record<Lane, Delivery[]>> = { delivery: [], side: [], retry: [] };
  readonly #running: readonly Promise<void>[];
  readonly #service: DeliveryService;
  readonly #arrivals = new Map<string, Arrival>();
  #hanging = 0;
  #events = 0;
  #stopped = false;

  constructor(origin: string) {
    this.#endpoints = Array.from({ length: ENDPOINTS }, (_, index) =>
      anEndpoint(String(index), `${origin}/`),
    );
    this.#service = this.#serviceInMemory();
    const settings = environments.find(({ name }) => name === "production")?.webhooks;
    if (!settings) throw new Error("The app has no production environment.");
    const batches = (concurrency: BatchConcurrency) => Math.min(mostBatches(concurrency), MOST_BATCHES);
    this.#running = [
      this.#produce(),
      ...Array.from({ length: batches(settings.deliveryConcurrency) }, () => this.#consume("delivery")),
      ...Array.from({ length: batches(settings.sideConcurrency) }, () => this.#consume("side")),
      ...Array.from({ length: batches(settings.retryConcurrency) }, () => this.#consume("retry")),
    ];
  }

  /** From now on, a share of the receivers never responds. */
  hang(share: number): void {
    this.#hanging = share * ENDPOINTS;
    for (let index = 0; index < this.#hanging; index++) {
      const endpoint = this.#endpoints[index];
      if (endpoint) this.#endpoints[index] = { ...endpoint, url: `${endpoint.url}hanging` };
    }
  }

  /** The events of the next ten seconds, to receivers that never hang; what they took fills in. */
  async window(): Promise<Arrival[]> {
    const from = performance.now();
    await delay(WINDOW_MS);
    return [...this.#arrivals.values()].filter(({ at }) => at >= from);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#client.close();
    await Promise.all(this.#running);
  }

  async #produce(): Promise<void> {
    const startedAt = performance.now();
    while (!this.#stopped) {
      const due = ((performance.now() - startedAt) * EVENTS_PER_SECOND) / 1_000;
      while (this.#events < due) this.#queues.delivery.push(this.#aDelivery());
      await delay(TICK_MS);
    }
  }

  async #consume(lane: Lane): Promise<void> {
    while (!this.#stopped) {
      const batch = this.#queues[lane].splice(0, BATCH);
      await Promise.all(batch.map((delivery) => this.#deliver(delivery, lane)));
      await delay(batch.length > 0 ? OWN_MS : TICK_MS);
    }
  }

  async #deliver(delivery: Delivery, lane: Lane): Promise<void> {
    const outcome = await deliver(delivery, { ...this.#service, lane });
    const arrival = this.#arrivals.get(delivery.eventId);
    if (outcome?.status === "delivered" && arrival) arrival.tookMs = performance.now() - arrival.at;
  }

  #aDelivery(): Delivery {
    const index = this.#events++ % ENDPOINTS;
    const eventId = `evt_${this.#events}`;
    const now = new Date().toISOString();
    if (index >= this.#hanging) this.#arrivals.set(eventId, { at: performance.now() });
    return {
      orgId: "acme",
      endpointId: String(index),
      eventId,
      eventType: "candidate.received",
      body: anEventBody({ id: eventId, occurredAt: now }),
      attempt: 1,
      dueAt: now,
    };
  }

  #serviceInMemory(): DeliveryService {
    const find = async (_orgId: string, id: string) => this.#endpoints[Number(id)];
    const nothing = async () => {};
    const marked = (id: string, mark: Pace | Pick<StoredEndpoint, "failingSince">) => {
      const endpoint = this.#endpoints[Number(id)];
      if (!endpoint) throw new Error(`There is no endpoint ${id}.`);
      this.#endpoints[Number(id)] = { ...mark, ...endpoint };
      return { ...mark, ...endpoint };
    };
    return {
      lane: LANES[0],
      schedule: "standard",
      endpoints: { find },
      health: {
        succeeded: nothing,
        suspected: async ({ id }) => void marked(id, { suspectedSince: new Date().toISOString() }),
        cut: async ({ id }, lane) => void marked(id, paceAfterCut(lane, new Date())),
        failedLate: nothing,
        askedToWait: nothing,
        failed: async ({ id }) => marked(id, { failingSince: new Date().toISOString() }),
        deactivate: async () => true,
      },
      signingSecrets: { open: async () => SECRET },
      retries: {
        send: async (delivery, lane) => {
          const wait = Math.max(0, Date.parse(delivery.dueAt) - Date.now());
          setTimeout(() => this.#queues[lane].push(delivery), wait).unref();
        },
      },
      deadLetters: { send: nothing, park: nothing },
      lives: { find: async () => ({ isErased: false, firstSequence: 1, externalId: "ext-1001" }) },
      log: { find: async () => undefined, record: nothing },
      client: this.#client,
      now: () => new Date(),
      random: Math.random,
    };
  }
}
