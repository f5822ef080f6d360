import { Agent, request } from "undici";
import { evenly } from "../evenly.ts";
import { type Benchmark, type Figure, percentile } from "../figure.ts";
import { type NpmStart, onNpmStart } from "../npm-start.ts";
import { putting } from "../puts.ts";
import { aReceiver } from "../receiver.ts";
import { aRealisticSubmission } from "../submissions.ts";

const WARM_UP_CREATES = 500;
const CREATES = 500;
const SUSTAINED_MS = 6_000;
const SUSTAINED_IN_FLIGHT = 16;

export const benchmark: Benchmark = {
  title: "End to end",
  method:
    "Measured on `npm start`, in processes of its own, including DynamoDB Local and the queue engine, all on this machine. The first figures are the time from the request of a create to its webhook at the receiver, with fifty creates a second at an even rate, whether or not earlier ones have ended, after a warm-up of ten seconds. The last is the number of creates per second with sixteen in flight, compared with conditional puts of the same item into the same DynamoDB Local.",
  measure: () => onNpmStart(delaysAndRates),
};

async function delaysAndRates(stack: NpmStart): Promise<Figure[]> {
  const receiver = await aReceiver();
  const create = await creating(stack, receiver.url);
  await evenly(WARM_UP_CREATES, create);
  const sentAt = new Map<string, number>();
  await evenly(CREATES, async () => {
    const at = performance.now();
    sentAt.set(await create(), at);
  });
  const delays = await receiver.delaysSince(sentAt);
  const perSecond = {
    creates: await sustained(create),
    puts: await sustained(await putting(stack)),
  };
  receiver.stop();
  return [
    {
      name: "create to webhook received, at 50 a second: p50",
      value: percentile(delays, 0.5),
      unit: "ms",
      goal: { atMost: 60 },
    },
    {
      name: "create to webhook received, at 50 a second: p99",
      value: percentile(delays, 0.99),
      unit: "ms",
      goal: { atMost: 250 },
    },
    {
      name: "sustained creates",
      value: perSecond.creates,
      unit: "per second",
      peer: { name: "conditional puts only, the engine's limit", value: perSecond.puts },
      goal: { atLeast: 0.5 },
    },
  ];
}

/** Registers the receiver, and returns a function that creates a new candidate and returns its `externalId`. */
async function creating({ baseUrl, organisations: [organisation] }: NpmStart, receiver: string) {
  const dispatcher = new Agent();
  const post = async (path: string, body: object) => {
    const { statusCode, body: response } = await request(`${baseUrl}/v1/${path}`, {
      dispatcher,
      method: "POST",
      headers: { "X-API-Key": organisation?.apiKey ?? "", "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    if (statusCode !== 201) throw new Error(`${path} returns ${statusCode}: ${text}`);
  };
  await post("webhook-endpoints", { url: receiver, eventTypes: ["candidate.received"] });
  const submission = aRealisticSubmission();
  let created = 0;
  return async () => {
    const externalId = `bench-${created++}`;
    await post("candidates", { ...submission, externalId });
    return externalId;
  };
}

async function sustained(work: () => Promise<unknown>): Promise<number> {
  const until = performance.now() + SUSTAINED_MS;
  let done = 0;
  const lane = async () => {
    while (performance.now() < until) {
      await work();
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: SUSTAINED_IN_FLIGHT }, lane));
  return (1_000 * done) / SUSTAINED_MS;
}
