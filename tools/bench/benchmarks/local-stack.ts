import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Agent, request } from "undici";
import { PROJECT } from "../../../local/service/project.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { evenly } from "../evenly.ts";
import { type Benchmark, percentile } from "../figure.ts";
import { residentMegabytes, watchMemory } from "../memory.ts";
import { type NpmStart, npmStart } from "../npm-start.ts";
import { aRealisticSubmission } from "../submissions.ts";

/** Creates in the first ten seconds, and in seven minutes, at fifty a second. */
const FIRST = 500;
const SOAK = 21_000;
/** What a start leaves to be collected is collected within this time, in ms. */
const SETTLED_MS = 5_000;

/** The function that is changed while the stack watches. */
const CHANGED = join(PROJECT, "functions/api/get-candidate.ts");
const CHANGES = 3;

export const benchmark: Benchmark = {
  title: "The local stack",
  method:
    "`npm start` as a newcomer runs it. On a new folder, fifty creates a second with the realistic submission begin as soon as it reports that it is ready, whether or not earlier ones have ended. Then it is started again on the same folder. The figures are the time until it is ready, the memory of npm, Node and DynamoDB Local together, and the most memory that they take during seven minutes of fifty creates a second. The last figure is with `--watch`: the longest of three times from adding a comment to the function that reads a candidate to the first response of the new code.",
  async measure() {
    const dataDir = temporaryFolder("bench-");
    const first = await npmStart(dataDir);
    const create = creating(first);
    const times: number[] = [];
    await evenly(FIRST, async () => times.push(await create()));
    await first.stop();

    const second = await npmStart(dataDir);
    await delay(SETTLED_MS);
    const atStart = await residentMegabytes(second.pid);
    const peak = watchMemory(second.pid);
    await evenly(SOAK, creating(second));
    const most = await peak();
    await second.stop();

    const watching = await npmStart(dataDir, ["--watch"]);
    const changes: number[] = [];
    while (changes.length < CHANGES) changes.push(await changing(watching));
    await watching.stop();
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

/** Changes a function, and returns how long it took until a request to it had a response of the new code, in ms. */
async function changing(service: NpmStart): Promise<number> {
  const source = readFileSync(CHANGED, "utf8");
  try {
    const changedAt = performance.now();
    appendFileSync(CHANGED, "// A change.\n");
    await service.prints("Reloaded in");
    await reading(service);
    return performance.now() - changedAt;
  } finally {
    const reloaded = service.prints("Reloaded in");
    writeFileSync(CHANGED, source);
    await reloaded;
  }
}

/** Asks for a candidate that does not exist. */
async function reading({ baseUrl, organisations: [organisation] }: NpmStart): Promise<void> {
  const { statusCode, body } = await request(`${baseUrl}/v1/candidates/unknown`, {
    headers: { "X-API-Key": organisation?.apiKey ?? "" },
  });
  const text = await body.text();
  if (statusCode !== 404) throw new Error(`A read returned ${statusCode}: ${text}`);
}

/** Creates a candidate that nobody has yet, and returns how long it took, in ms. */
function creating({ baseUrl, organisations: [organisation] }: NpmStart): () => Promise<number> {
  const dispatcher = new Agent();
  const submission = aRealisticSubmission();
  return async () => {
    const at = performance.now();
    const { statusCode, body } = await request(`${baseUrl}/v1/candidates`, {
      dispatcher,
      method: "POST",
      headers: { "X-API-Key": organisation?.apiKey ?? "", "Content-Type": "application/json" },
      body: JSON.stringify({ ...submission, externalId: crypto.randomUUID() }),
    });
    const text = await body.text();
    if (statusCode !== 201) throw new Error(`A create returned ${statusCode}: ${text}`);
    return performance.now() - at;
  };
}
