import { setDefaultCACertificates } from "node:tls";
import { Agent, type Dispatcher, request } from "undici";
import { runtime } from "#runtime/runtime";
import { deliver } from "#webhooks/delivery/deliver";
import type { Delivery } from "#webhooks/delivery/delivery";
import type { DeliveryService } from "#webhooks/delivery/delivery-service";
import { guardedConnector } from "#webhooks/delivery/guarded-connector";
import { guardedAgent, WebhookClient } from "#webhooks/delivery/webhook-client";
import { AllowedNetworks } from "#webhooks/endpoints/delivery-address";
import { newSigningSecret, signatureOf } from "#webhooks/endpoints/signature";
import { anEndpoint } from "../endpoint.ts";
import { anEventBody } from "../event-body.ts";
import { type Benchmark, type Figure, interleaved, processorTime } from "../figure.ts";
import { startProcess } from "../processes.ts";

const ROUNDS = 15;
const POSTS = 1_500;

const LOOPBACK = AllowedNetworks.parse("127.0.0.0/8");
const SECRET = newSigningSecret(runtime.randomBytes);
const POST_OPTIONS = { timeout: 10_000 };
const BODY = anEventBody({ id: "evt_06f6zs1m8n9e3c7k2h5d4b6a8w", occurredAt: "2026-01-01T00:00:00.000Z" });
const HEADERS = {
  "Content-Type": "application/json",
  "User-Agent": "CandidateManagementService/1.2.0 (webhooks)",
  "X-RR-Event-Id": "evt_06f6zs1m8n9e3c7k2h5d4b6a8w",
  "X-RR-Event-Type": "candidate.received",
  "X-RR-Delivery-Attempt": "1",
};

interface Receivers {
  readonly http: string;
  readonly https: string;
  readonly certificate: string;
}

export const benchmark: Benchmark = {
  title: "Delivery",
  method:
    "Posts per second of processor time, to a receiver in another process over connections that are kept open. This is how many one core can send, independent of other load on the machine. Signed posts by the service's client are compared with unsigned posts by the same HTTP client (undici.request). The last rows include everything that deliver-webhook does for a delivery except the table and the queue, with a share of receivers that respond 500.",
  async measure() {
    process.env["POWERTOOLS_LOG_LEVEL"] = "SILENT";
    const receivers = await startProcess<Receivers>("receivers.ts");
    const { http, https, certificate } = receivers.ready;
    setDefaultCACertificates([certificate]);
    const figures: Figure[] = [];
    for (const [scheme, url] of [
      ["without TLS", http],
      ["TLS", https],
    ] as const) {
      // The first 10,000 posts run before their code is compiled.
      await signedAgainstBare(scheme, `${url}/`, 50);
      for (const inFlight of [10, 50, 100]) {
        figures.push(await signedAgainstBare(scheme, `${url}/`, inFlight));
      }
    }
    figures.push(await guardOnAgainstOff(`${http}/`));
    figures.push(...(await delivering(http)));
    await receivers.stop();
    return figures;
  },
};

async function signedAgainstBare(scheme: string, url: string, inFlight: number): Promise<Figure> {
  const client = new WebhookClient(guardedAgent(LOOPBACK));
  const dispatcher = new Agent();
  const { signed, bare } = await rates(inFlight, {
    signed: () =>
      client.post(url, { ...HEADERS, "X-RR-Signature": signatureOf(BODY, SECRET) }, BODY, POST_OPTIONS),
    bare: () => barePost(url, dispatcher),
  });
  await Promise.all([client.close(), dispatcher.close()]);
  return {
    name: `signed posts, ${scheme}, ${inFlight} in flight`,
    value: signed,
    unit: "per second",
    peer: { name: "unsigned posts by undici.request", value: bare },
    goal: { atLeast: 0.95 },
  };
}

async function guardOnAgainstOff(url: string): Promise<Figure> {
  const [guarded, open] = [new Agent({ connect: guardedConnector(LOOPBACK) }), new Agent()];
  const { on, off } = await rates(50, { on: () => barePost(url, guarded), off: () => barePost(url, open) });
  await Promise.all([guarded.close(), open.close()]);
  return {
    name: "unsigned posts with the address guard on",
    value: on,
    unit: "per second",
    peer: { name: "off", value: off },
    goal: { atLeast: 0.98 },
  };
}

async function delivering(origin: string): Promise<Figure[]> {
  const client = new WebhookClient(guardedAgent(LOOPBACK));
  const shares = { none: 0, "1 %": 0.01, "10 %": 0.1, "30 %": 0.3 };
  const cases = Object.fromEntries(
    Object.entries(shares).map(([name, failing]) => [name, deliveries(client, origin, failing)]),
  ) as Record<keyof typeof shares, () => Promise<unknown>>;
  const rate = await rates(10, cases);
  await client.close();
  return Object.entries(rate).map(
    ([name, value]): Figure => ({
      name: `deliveries, ${name} of receivers failing`,
      value,
      unit: "per second",
      ...(name !== "none" && { peer: { name: "none failing", value: rate.none } }),
    }),
  );
}

function deliveries(client: WebhookClient, origin: string, failing: number): () => Promise<unknown> {
  const nothing = async () => {};
  let made = 0;
  const service: DeliveryService = {
    lane: "delivery",
    schedule: "standard",
    endpoints: {
      find: async (_orgId, id) =>
        anEndpoint(id, `${origin}/${made++ % 100 < 100 * failing ? "failing" : ""}`),
    },
    health: {
      succeeded: nothing,
      suspected: nothing,
      cut: nothing,
      failedLate: nothing,
      askedToWait: nothing,
      failed: async (endpoint) => endpoint,
      deactivate: async () => true,
    },
    signingSecrets: { open: async () => SECRET },
    retries: { send: nothing },
    deadLetters: { send: nothing, park: nothing },
    lives: { find: async () => ({ isErased: false, firstSequence: 1, externalId: "ext-1001" }) },
    log: { find: async () => undefined, record: nothing },
    client,
    now: () => new Date(),
    random: Math.random,
  };
  const delivery: Delivery = {
    orgId: "acme",
    endpointId: "whe_1",
    eventId: HEADERS["X-RR-Event-Id"],
    eventType: "candidate.received",
    body: BODY,
    attempt: 1,
    dueAt: "2026-01-01T00:00:00.000Z",
  };
  return () => deliver(delivery, service);
}

async function barePost(url: string, dispatcher: Dispatcher): Promise<void> {
  const { body } = await request(url, { dispatcher, method: "POST", headers: HEADERS, body: BODY });
  await body.dump();
}

/** How often each kind of work is done in a second of processor time, with so many in flight. */
async function rates<Name extends string>(
  inFlight: number,
  cases: Readonly<Record<Name, () => Promise<unknown>>>,
): Promise<Record<Name, number>> {
  const names = Object.keys(cases) as Name[];
  for (const name of names) await repeatedly(POSTS, inFlight, cases[name]);
  return interleaved(
    ROUNDS,
    Object.fromEntries(
      names.map((name) => [
        name,
        async () => (1_000 * POSTS) / (await processorTime(() => repeatedly(POSTS, inFlight, cases[name]))),
      ]),
    ) as Record<Name, () => Promise<number>>,
  );
}

async function repeatedly(times: number, inFlight: number, work: () => Promise<unknown>): Promise<void> {
  let left = times;
  const lane = async () => {
    while (left-- > 0) await work();
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
}
