import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { Agent, request } from "undici";
import { evenly } from "../evenly.ts";
import { type Benchmark, percentile } from "../figure.ts";
import { residentMegabytes, watchMemory } from "../memory.ts";
import { aRealisticSubmission } from "../submissions.ts";

const PROJECT = join(import.meta.dirname, "../../..");
/** Creates in the first ten seconds, and in seven minutes, at fifty a second. */
const FIRST = 500;
const SOAK = 21_000;
/** What a start leaves to be collected is collected within this time, in ms. */
const SETTLED = 5_000;

/** The function that is changed while the stack watches. */
const CHANGED = join(PROJECT, "functions/api/get-candidate.ts");
const CHANGES = 3;

interface Stack {
  readonly npm: ChildProcess & { readonly pid: number };
  readonly startedInMs: number;
  create(): Promise<number>;
  /** Changes a function, and returns how long it took until a request to it had a response of the new code, in ms. */
  change(): Promise<number>;
  stop(): Promise<void>;
}

export const benchmark: Benchmark = {
  title: "The local stack",
  method:
    "`npm start` as a newcomer runs it. On a new folder, fifty creates a second with the realistic submission begin as soon as it reports that it is ready, whether or not earlier ones have ended. Then it is started again on the same folder. The figures are the time until it is ready, the memory of npm, Node and DynamoDB Local together, and the most memory that they take during seven minutes of fifty creates a second. The last figure is with `--watch`: the longest of three times from adding a comment to the function that reads a candidate to the first response of the new code.",
  async measure() {
    const dataDir = await mkdtemp(join(tmpdir(), "bench-"));
    const first = await started(dataDir);
    const times: number[] = [];
    await evenly(FIRST, async () => times.push(await first.create()));
    await first.stop();

    const second = await started(dataDir);
    await delay(SETTLED);
    const atStart = await residentMegabytes(second.npm.pid);
    const peak = watchMemory(second.npm.pid);
    await evenly(SOAK, () => second.create());
    const most = await peak();
    await second.stop();

    const watching = await started(dataDir, ["--watch"]);
    const changes: number[] = [];
    while (changes.length < CHANGES) changes.push(await watching.change());
    await watching.stop();
    await rm(dataDir, { recursive: true, force: true });
    return [
      {
        name: "a create in the first ten seconds of a new stack, at 50 a second: p99",
        value: percentile(times, 0.99),
        unit: "ms",
        goal: { atMost: 1_000 },
      },
      { name: "a start on existing data", value: second.startedInMs, unit: "ms", goal: { atMost: 6_000 } },
      { name: "memory after the start", value: atStart, unit: "MB", goal: { atMost: 350 } },
      {
        name: "most memory in seven minutes, at 50 creates a second",
        value: most,
        unit: "MB",
        goal: { atMost: 600 },
      },
      {
        name: "a change of one function with --watch",
        value: Math.max(...changes),
        unit: "ms",
        goal: { atMost: 5_000 },
      },
    ];
  },
};

async function started(dataDir: string, flags: readonly string[] = []): Promise<Stack> {
  const startedAt = performance.now();
  const npm = spawn("npm", ["start", "--", "--no-throttling", ...flags], {
    cwd: PROJECT,
    env: { ...process.env, PORT: "0", LOCAL_DATA_DIR: dataDir },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(npm, "exit");
  const until = printing(npm.stdout, ended);
  await until(flags.includes("--watch") ? "Watching" : "Ready at");
  const startedInMs = performance.now() - startedAt;
  const { baseUrl, organisations } = JSON.parse(readFileSync(join(dataDir, "credentials.json"), "utf8"));
  return {
    npm: npm as Stack["npm"],
    startedInMs,
    create: creating(baseUrl, organisations[0].apiKey),
    change: () => changing(until, () => reading(baseUrl, organisations[0].apiKey)),
    async stop() {
      npm.kill();
      await ended;
    },
  };
}

/** Waits until a program prints a text. */
function printing(output: Readable, ended: Promise<unknown>): (text: string) => Promise<void> {
  return async (text) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const look = (chunk: Buffer) => String(chunk).includes(text) && resolve();
    output.on("data", look);
    const failed = ended.then(() => Promise.reject(new Error(`npm start ended before it printed: ${text}`)));
    await Promise.race([promise, failed]);
    output.off("data", look);
  };
}

async function changing(until: (text: string) => Promise<void>, read: () => Promise<void>): Promise<number> {
  const source = readFileSync(CHANGED, "utf8");
  try {
    const changedAt = performance.now();
    appendFileSync(CHANGED, "// A change.\n");
    await until("Reloaded in");
    await read();
    return performance.now() - changedAt;
  } finally {
    const reloaded = until("Reloaded in");
    writeFileSync(CHANGED, source);
    await reloaded;
  }
}

/** Asks for a candidate that does not exist. */
async function reading(baseUrl: string, apiKey: string): Promise<void> {
  const { statusCode, body } = await request(`${baseUrl}/v1/candidates/unknown`, {
    headers: { "X-API-Key": apiKey },
  });
  const text = await body.text();
  if (statusCode !== 404) throw new Error(`A read returned ${statusCode}: ${text}`);
}

/** Creates a candidate that nobody has yet, and returns how long it took, in ms. */
function creating(baseUrl: string, apiKey: string): () => Promise<number> {
  const dispatcher = new Agent();
  const submission = aRealisticSubmission();
  return async () => {
    const at = performance.now();
    const { statusCode, body } = await request(`${baseUrl}/v1/candidates`, {
      dispatcher,
      method: "POST",
      headers: { "X-API-Key": apiKey, "Content-Type": "application/json" },
      body: JSON.stringify({ ...submission, externalId: crypto.randomUUID() }),
    });
    const text = await body.text();
    if (statusCode !== 201) throw new Error(`A create returned ${statusCode}: ${text}`);
    return performance.now() - at;
  };
}
