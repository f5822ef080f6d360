import type { ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { Agent, request } from "undici";
import { type Benchmark, type Figure, percentile } from "../figure.ts";
import { type NpmStart, onNpmStart } from "../npm-start.ts";
import { aReceiver, aServer } from "../receiver.ts";
import { aRealisticSubmission } from "../submissions.ts";

const EVENTS_PER_SECOND = 6;
const SECONDS = 25;
/** How long a sample event may take, in ms. */
const SAMPLE_LATE_MS = 15_000;
/** How many endpoints an organisation may have (docs/guides/limits.md). */
const ENDPOINTS = 50;
const SAMPLES_PER_SECOND = 30;

/** What the other organisation's receiver begins to do with requests. */
const NEIGHBOURS: Readonly<Record<string, (response: ServerResponse) => void>> = {
  "stops responding": () => {},
  "begins to respond after nine seconds": (response) => {
    setTimeout(() => response.writeHead(200).end(), 9_000).unref();
  },
  "begins to send its body a byte a second": (response) => {
    response.writeHead(200, { "Content-Length": "1000" });
    const timer = setInterval(() => response.write("."), 1_000).unref();
    response.once("close", () => clearInterval(timer));
  },
};

export const benchmark: Benchmark = {
  title: "Slow neighbours",
  method:
    "Measured on `npm start`, in processes of its own, with the settings of the development environment. One organisation creates six candidates a second; the figures are the time from the request of a create to its webhook at the receiver. Beside it, another organisation creates as many candidates, and its receiver, which has responded fast until then, becomes slow. Or the other organisation has fifty new endpoints that never respond, and sends thirty sample events a second. Meanwhile the first organisation sends sample events too, one after the other, which have the side queue in common with the samples of the other.",
  measure: () => onNpmStart(delaysBesideSlowNeighbours),
};

/** Two organisations, and the receiver of the first, which responds. */
interface Neighbourhood {
  readonly client: ApiClient;
  readonly receiver: Awaited<ReturnType<typeof aReceiver>>;
  /** The receiver's endpoint. */
  readonly endpointId: string;
  /** The key of the first. */
  readonly key: string;
  readonly otherKey: string;
}

async function delaysBesideSlowNeighbours(stack: NpmStart): Promise<Figure[]> {
  const [healthy, other] = stack.organisations;
  if (!healthy || !other) throw new Error("The local stack has fewer than two organisations.");
  const client = new ApiClient(stack.baseUrl);
  const receiver = await aReceiver();
  try {
    const neighbourhood: Neighbourhood = {
      client,
      receiver,
      endpointId: await client.register(healthy.apiKey, receiver.url),
      key: healthy.apiKey,
      otherKey: other.apiKey,
    };
    await measureOnce(neighbourhood);
    const alone = await measureOnce(neighbourhood);
    await sampling(neighbourhood, delay(1_000));
    const sampleAlone = percentile(await sampling(neighbourhood, delay(5_000)), 0.99);
    const figures: Figure[] = [{ name: "alone: p99", value: alone, unit: "ms" }];
    for (const [what, respond] of Object.entries(NEIGHBOURS)) {
      const value = await besideSlowReceiver(neighbourhood, respond);
      figures.push(besides(`beside one that ${what}: p99`, value, alone));
    }
    const tarpit = besideTarpit(neighbourhood);
    const samples = await sampling(neighbourhood, tarpit);
    figures.push(
      besides("beside fifty new ones that never respond, with samples: p99", await tarpit, alone),
      besides(
        "samples beside fifty new ones that never respond: p99",
        percentile(samples, 0.99),
        sampleAlone,
      ),
    );
    return figures;
  } finally {
    receiver.stop();
  }
}

/** The 99th percentile beside an organisation whose receiver becomes slow, in ms. */
async function besideSlowReceiver(
  neighbourhood: Neighbourhood,
  respond: (response: ServerResponse) => void,
): Promise<number> {
  const { client, otherKey } = neighbourhood;
  let isSlow = false;
  const neighbour = await aServer((message, response) => {
    message.resume();
    if (isSlow) respond(response);
    else response.writeHead(204).end();
  });
  const endpoint = await client.register(otherKey, neighbour.url);
  await client.sample(otherKey, endpoint);
  await client.responds(otherKey, endpoint);
  isSlow = true;
  const value = await measureOnce(neighbourhood, otherKey);
  await client.remove(otherKey, endpoint);
  neighbour.stop();
  return value;
}

/** How long sample events take to the healthy receiver, one after the other, until something is done, in ms. */
async function sampling(
  { client, receiver, endpointId, key }: Neighbourhood,
  done: Promise<unknown>,
): Promise<number[]> {
  const delays: number[] = [];
  let isDone = false;
  void done.then(() => {
    isDone = true;
  });
  while (!isDone) {
    const at = performance.now();
    const seen = receiver.samples();
    await client.sample(key, endpointId);
    while (receiver.samples() === seen && performance.now() - at < SAMPLE_LATE_MS) await delay(5);
    delays.push(performance.now() - at);
    await delay(500);
  }
  return delays;
}

/** The 99th percentile beside an organisation that samples new endpoints, which never respond, in ms. */
async function besideTarpit(neighbourhood: Neighbourhood): Promise<number> {
  const { client, otherKey } = neighbourhood;
  const tarpit = await aServer((message) => void message.resume());
  const endpoints: string[] = [];
  for (let count = 0; count < ENDPOINTS; count++) endpoints.push(await client.register(otherKey, tarpit.url));
  let isOver = false;
  const sampling = (async () => {
    for (let sample = 0; !isOver; sample++) {
      void client.sample(otherKey, endpoints[sample % ENDPOINTS] ?? "");
      await delay(1_000 / SAMPLES_PER_SECOND);
    }
  })();
  const value = await measureOnce(neighbourhood, otherKey);
  isOver = true;
  await sampling;
  tarpit.stop();
  return value;
}

/** The 99th percentile of the delays of the healthy receiver's events, in ms. */
async function measureOnce({ client, receiver, key }: Neighbourhood, neighbour?: string): Promise<number> {
  const sentAt = new Map<string, number>();
  const creates: Promise<unknown>[] = [];
  for (let event = 0; event < EVENTS_PER_SECOND * SECONDS; event++) {
    const externalId = client.nextExternalId();
    sentAt.set(externalId, performance.now());
    creates.push(client.create(key, externalId));
    if (neighbour) creates.push(client.create(neighbour, client.nextExternalId()));
    await delay(1_000 / EVENTS_PER_SECOND);
  }
  await Promise.all(creates);
  return percentile(await receiver.delaysSince(sentAt), 0.99);
}

/** At most twice as long as alone, or 200 ms longer. */
function besides(name: string, value: number, alone: number): Figure {
  return {
    name,
    value,
    unit: "ms",
    peer: { name: "alone", value: alone },
    goal: { atMost: 2, orMoreBy: 200 },
  };
}

class ApiClient {
  readonly #baseUrl: string;
  readonly #dispatcher = new Agent();
  readonly #submission = aRealisticSubmission();
  #created = 0;

  constructor(baseUrl: string) {
    this.#baseUrl = baseUrl;
  }

  nextExternalId(): string {
    return `bench-${this.#created++}`;
  }

  async register(key: string, url: string): Promise<string> {
    const body = { url, eventTypes: ["candidate.received"] };
    const { id } = (await this.#send(key, "POST", "webhook-endpoints", 201, body)) as { id: string };
    return id;
  }

  remove(key: string, endpointId: string): Promise<unknown> {
    return this.#send(key, "DELETE", `webhook-endpoints/${endpointId}`, 204);
  }

  sample(key: string, endpointId: string): Promise<unknown> {
    return this.#send(key, "POST", `webhook-endpoints/${endpointId}/test`, 202);
  }

  /** Waits until an endpoint has responded. */
  async responds(key: string, endpointId: string): Promise<void> {
    for (;;) {
      const endpoint = await this.#send(key, "GET", `webhook-endpoints/${endpointId}`, 200);
      if ((endpoint as { lastSuccessAt?: string }).lastSuccessAt) break;
      await delay(50);
    }
    // Its queue is recorded in the next write.
    await delay(500);
  }

  create(key: string, externalId: string): Promise<unknown> {
    return this.#send(key, "POST", "candidates", 201, { ...this.#submission, externalId });
  }

  async #send(
    key: string,
    method: "GET" | "POST" | "DELETE",
    path: string,
    expected: number,
    body?: object,
  ): Promise<unknown> {
    const { statusCode, body: response } = await request(`${this.#baseUrl}/v1/${path}`, {
      dispatcher: this.#dispatcher,
      method,
      headers: { "X-API-Key": key, ...(body && { "Content-Type": "application/json" }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const sent = await response.text();
    if (statusCode !== expected) throw new Error(`${method} ${path} responds ${statusCode}: ${sent}`);
    return sent && JSON.parse(sent);
  }
}
