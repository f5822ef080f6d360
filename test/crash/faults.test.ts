import { randomInt } from "node:crypto";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { dynamoDbLocal } from "../../local/dynamodb/download.ts";
import { startDynamoDb } from "../../local/dynamodb/engine.ts";
import { cacheDirectory } from "../../local/service/project.ts";
import { CALM, type Shares } from "../../tools/faults/fault.ts";
import { startFaultProxy } from "../../tools/faults/fault-proxy.ts";
import { seeded } from "../../tools/seeded.ts";
import { temporaryFolder } from "../builders/temporary-folder.ts";
import { aReceiver } from "../end-to-end/receiver.ts";
import { kill, processesOf, type StartCommand, startCommand } from "../local/start-command.ts";
import { type History, invariants } from "./invariants.ts";
import { Partner } from "./partner.ts";

const CREATES = 3_000;
const LANES = 16;

/** One after the other, each for its part of the creates: together they would leave one request in seven. */
const WEATHER: readonly Shares[] = [
  { lost: 0.15 },
  { throttled: 0.4 },
  { reset: 0.3 },
  { delayed: 0.1 },
  { lost: 0.05, throttled: 0.1, reset: 0.1, delayed: 0.02 },
];

/** What is killed at random moments: `npm start`, DynamoDB Local, or both. */
const KILLS = ["service", "engine", "both"] as const;

/** The longest pause between deliveries when all is quiet, in ms: a retry comes after 6 s, a second one after 72 s. */
const DELIVERY_MS = 100_000;

test("3,000 creates keep all invariants while DynamoDB fails in many ways and processes are killed", async () => {
  const seed = Number(process.env["FAULTS_SEED"]) || randomInt(1, 2 ** 31 - 1);
  const random = seeded(seed);
  const engine = await anEngine();
  const proxy = await startFaultProxy({ upstream: () => engine.endpoint, random });
  onTestFinished(() => proxy.stop());
  const LOCAL_DATA_DIR = await temporaryFolder();
  const start = async () => {
    const command = startCommand({ LOCAL_DATA_DIR, DYNAMODB_ENDPOINT: proxy.url }, ["--no-throttling"]);
    const printed = await command.until("Press Ctrl-C to stop.");
    const [baseUrl, apiKey] = [/Ready at (\S+)/, /X-API-Key: (\w+)/].map((part) => part.exec(printed)?.[1]);
    if (!baseUrl || !apiKey) throw new Error(printed);
    return { command, baseUrl, apiKey };
  };
  let service: { readonly command: StartCommand; readonly baseUrl: string; readonly apiKey: string } =
    await start();
  const keys = [service.apiKey];
  const receiver = await aReceiver((response, { headers }) =>
    response.writeHead(headers["x-rr-delivery-attempt"] === "1" && random() < 0.05 ? 500 : 204).end(),
  );
  const partner = new Partner({ service: () => service, random });
  await partner.subscribe(receiver.url);

  /** Kills, starts again, and lets callers fail meanwhile. */
  const strike = async (victim: (typeof KILLS)[number]) => {
    if (victim !== "service") await engine.kill();
    if (victim !== "engine") {
      service.command.child.kill("SIGKILL");
      await service.command.ended;
    }
    if (victim !== "service") await engine.start();
    if (victim === "engine") return;
    service = await start();
    keys.push(service.apiKey);
  };
  const moments = KILLS.map((victim, index) => ({
    victim,
    at: Math.floor(((index + random()) * CREATES) / KILLS.length),
  }));
  let strikes = Promise.resolve();
  const unstartable = Promise.withResolvers<never>();
  const candidates = Array.from({ length: CREATES }, (_, number) => number).values();
  const lane = async () => {
    for (const number of candidates) {
      proxy.use(WEATHER[Math.floor((number * WEATHER.length) / CREATES)] ?? CALM);
      for (const { victim } of moments.filter(({ at }) => at === number)) {
        strikes = strikes.then(() => strike(victim));
        strikes.catch(unstartable.reject);
      }
      await partner.syncs(number);
    }
  };
  await Promise.race([Promise.all(Array.from({ length: LANES }, lane)), unstartable.promise]);
  await strikes;
  proxy.use(CALM);
  // What a killed consumer has in hand is delivered after a start, and otherwise seven minutes later.
  await strike("service");

  const expected = partner.candidates.flatMap(({ events }) => events).length;
  const delivered = () => new Set(receiver.deliveries.map(({ event }) => event.id)).size;
  // A busy machine takes longer for all of them, but makes no such pause.
  for (let before = -1; delivered() < expected && delivered() > before; ) {
    before = delivered();
    const quiet = new AbortController();
    await Promise.race([
      receiver.waitUntil(() => delivered() >= expected),
      delay(DELIVERY_MS, undefined, { signal: quiet.signal }),
    ]);
    quiet.abort();
  }
  const readings = await partner.readsEverything();
  const history: History = {
    candidates: partner.candidates,
    refused: partner.refused,
    deliveries: receiver.deliveries,
    keys,
    ...readings,
  };

  const run = `seed ${seed}, ${JSON.stringify(proxy.counts)}`;
  expect(partner.candidates, run).toHaveLength(CREATES);
  for (const fault of ["lost", "throttled", "reset", "delayed"] as const) {
    expect(proxy.counts[fault], `${run}: ${fault}`).toBeGreaterThan(0);
  }
  for (const { sentence, violations } of invariants) {
    expect.soft(violations(history), `${sentence} (${run}; repeat it with FAULTS_SEED)`).toEqual([]);
  }
  service.command.child.kill("SIGTERM");
  expect(await service.command.ended).toEqual([0, null]);
  expect(await processesOf(LOCAL_DATA_DIR)).toEqual([]);
});

/** A DynamoDB Local that is killed and started again on the same data, each time on another port. */
async function anEngine() {
  const directory = await temporaryFolder();
  const program = await dynamoDbLocal({ cacheDirectory: cacheDirectory(), onProgress: () => {} });
  const launch = () =>
    startDynamoDb({ program, dataDirectory: directory, logFile: join(directory, "engine.log") });
  let running = await launch();
  onTestFinished(() => running.stop());
  return {
    get endpoint() {
      return running.endpoint;
    },
    kill: () => kill(directory),
    async start() {
      running = await launch();
    },
  };
}
