import { setTimeout as delay } from "node:timers/promises";
import { runtime } from "#runtime/runtime";
import { type DeliveryService, deliver } from "#webhooks/delivery/deliver";
import type { Delivery } from "#webhooks/delivery/delivery";
import { WebhookClient } from "#webhooks/delivery/webhook-client";
import { AllowedNetworks } from "#webhooks/endpoints/delivery-address";
import type { DeliveryEndpoint } from "#webhooks/endpoints/delivery-endpoint";
import type { Lane } from "#webhooks/endpoints/lane";
import { SLOW_AFTER } from "#webhooks/endpoints/pace";
import { newSigningSecret } from "#webhooks/endpoints/signature";
import { environments } from "../../../infra/environments.ts";
import { anEndpoint } from "../endpoint.ts";
import type { Benchmark, Figure } from "../figure.ts";
import { startProcess } from "../processes.ts";

const ENDPOINTS = 100;
/** Amazon SQS's most for a batch. */
const BATCH = 10;
const WINDOW = 5_000;
/** What the table and the queue take of each delivery, in ms. */
const OWN_TIME = 15;

const SECRET = newSigningSecret(runtime.randomBytes);

export const benchmark: Benchmark = {
  title: "Hanging receivers",
  method:
    "Both queues of the development environment with their consumers, always full, in front of the service's own deliver and 100 real receivers, some of which never respond. Counted are acknowledgements of the others, compared with the same receivers when none hangs: in the first five seconds, in which the hanging endpoints are found, and in five seconds after that.",
  async measure() {
    process.env["POWERTOOLS_LOG_LEVEL"] = "SILENT";
    const receivers = await startProcess<{ http: string }>("receivers.ts");
    const figures: Figure[] = [];
    for (const share of [0.01, 0.1, 0.3]) {
      const calm = new Consumers(receivers.ready.http, { fast: 1 - share, hanging: 0 });
      await delay(1_000);
      const undisturbed = await calm.acknowledgedIn(WINDOW);
      await calm.stop();
      const disturbed = new Consumers(receivers.ready.http, { fast: 1 - share, hanging: share });
      const before = await disturbed.acknowledgedIn(WINDOW);
      await delay(SLOW_AFTER);
      const after = await disturbed.acknowledgedIn(WINDOW);
      await disturbed.stop();
      const rate = (acknowledged: number) => (acknowledged * 1_000) / WINDOW;
      const peer = { name: "nobody hangs", value: rate(undisturbed) };
      const name = `${share * 100} % of receivers hanging`;
      figures.push(
        { name, value: rate(after), unit: "per second", peer, goal: { atLeast: 0.95 } },
        {
          name: `${name}, in the first five seconds`,
          value: rate(before),
          unit: "per second",
          peer,
        },
      );
    }
    await receivers.stop();
    return figures;
  },
};

/** The two queues and what consumes them, as the event sources of the stack do. */
class Consumers {
  readonly #client = new WebhookClient(AllowedNetworks.parse("127.0.0.0/8"));
  readonly #endpoints: DeliveryEndpoint[];
  readonly #retries: Delivery[] = [];
  readonly #lanes: Promise<void>[];
  readonly #service: DeliveryService;
  readonly #firstFast: number;
  #next = 0;
  #acknowledged = 0;
  #stopped = false;

  /** Only those that are fast in each run of a comparison are counted. */
  constructor(origin: string, { fast, hanging }: { readonly fast: number; readonly hanging: number }) {
    this.#firstFast = ENDPOINTS - Math.round(fast * ENDPOINTS);
    this.#endpoints = Array.from({ length: ENDPOINTS }, (_, index) =>
      anEndpoint(String(index), `${origin}/${index < hanging * ENDPOINTS ? "hanging" : ""}`),
    );
    this.#service = this.#serviceInMemory();
    const settings = environments.find(({ name }) => name === "development")?.webhooks;
    if (!settings) throw new Error("The app has a development environment.");
    this.#lanes = [
      ...Array.from({ length: settings.deliveryConcurrency }, () => this.#consume("delivery")),
      ...Array.from({ length: settings.retryConcurrency }, () => this.#consume("retry")),
    ];
  }

  /** How many deliveries to the receivers that never hang are acknowledged from now on, for so many ms. */
  async acknowledgedIn(ms: number): Promise<number> {
    const before = this.#acknowledged;
    await delay(ms);
    return this.#acknowledged - before;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#client.close();
    await Promise.all(this.#lanes);
  }

  async #consume(lane: Lane): Promise<void> {
    while (!this.#stopped) {
      const batch =
        lane === "delivery"
          ? Array.from({ length: BATCH }, () => this.#aDelivery())
          : this.#retries.splice(0, BATCH);
      await Promise.all(batch.map((delivery) => this.#deliver(delivery, lane)));
      await delay(OWN_TIME);
    }
  }

  async #deliver(delivery: Delivery, lane: Lane): Promise<void> {
    const outcome = await deliver(delivery, { ...this.#service, lane });
    if (outcome?.status === "delivered" && Number(delivery.endpointId) >= this.#firstFast)
      this.#acknowledged += 1;
  }

  #aDelivery(): Delivery {
    const now = new Date().toISOString();
    return {
      orgId: "acme",
      endpointId: String(this.#next++ % ENDPOINTS),
      eventId: "evt_06f6zs1m8n9e3c7k2h5d4b6a8w",
      eventType: "candidate.received",
      body: JSON.stringify({
        type: "candidate.received",
        occurredAt: now,
        sequence: 1,
        data: { stagedId: `staged_${"0".repeat(26)}` },
      }),
      attempt: 1,
      dueAt: now,
    };
  }

  #serviceInMemory(): DeliveryService {
    const find = async (_orgId: string, id: string) => this.#endpoints[Number(id)];
    const nothing = async () => {};
    return {
      lane: "delivery",
      endpoints: { find },
      health: {
        succeeded: nothing,
        slowed: async ({ id }) => {
          const endpoint = this.#endpoints[Number(id)];
          if (endpoint) this.#endpoints[Number(id)] = { slowSince: new Date().toISOString(), ...endpoint };
        },
        failed: async ({ id }) => {
          const endpoint = this.#endpoints[Number(id)];
          if (!endpoint) throw new Error(`There is no endpoint ${id}.`);
          const failing = { failingSince: new Date().toISOString(), ...endpoint };
          this.#endpoints[Number(id)] = failing;
          return failing;
        },
        deactivate: async () => true,
      },
      signingSecrets: { open: async () => SECRET },
      retryQueue: {
        send: async (delivery) => {
          // What is due later would wait in SQS.
          if (Date.parse(delivery.dueAt) <= Date.now()) this.#retries.push(delivery);
        },
      },
      deadLetters: { send: nothing },
      lives: { find: async () => ({ isErased: false, firstSequence: 1 }) },
      log: { find: async () => undefined, record: nothing },
      client: this.#client,
      now: () => new Date(),
      random: Math.random,
    };
  }
}
