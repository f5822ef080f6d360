import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { promisify } from "node:util";
import { inParallel } from "#runtime/in-parallel";
import { temporaryFolder } from "../../temporary-folder.ts";
import { type Benchmark, type Figure, interleaved } from "../figure.ts";
import { type NpmStart, onNpmStart } from "../npm-start.ts";
import { putting } from "../puts.ts";
import { aServer } from "../receiver.ts";
import { aRealisticSubmission } from "../submissions.ts";

const COMMAND = join(import.meta.dirname, "../../../client/bin/candidates.js");
const ROWS = 2_000;
const WARM_UP_ROWS = 500;
const ROUNDS = 3;
const PUTS_IN_FLIGHT = 16;

export const benchmark: Benchmark = {
  title: "Push",
  method: `Measured on \`npm start\`, in processes of its own, including DynamoDB Local and the queue engine, all on this machine. \`candidates push\` sends ${ROWS.toLocaleString("en")} new candidates such as partners send, and is measured from its start to its end. The peer is puts of the same item into the same DynamoDB Local on the condition that it does not exist, sixteen in flight. Both run in turn, for ${ROUNDS} rounds. The number of requests is measured with a service that accepts every row; before batches there was one request for each row.`,
  measure: () => onNpmStart(ratesOfPushes),
};

async function ratesOfPushes(stack: NpmStart): Promise<Figure[]> {
  const folder = temporaryFolder("bench-");
  await pushTo(stack, await aFile(WARM_UP_ROWS, folder));
  const put = await putting(stack);
  const perSecond = await interleaved(ROUNDS, {
    rows: async () => {
      const file = await aFile(ROWS, folder);
      return rate(() => pushTo(stack, file));
    },
    puts: () => rate(() => inParallel(Array.from({ length: ROWS }), PUTS_IN_FLIGHT, put)),
  });
  return [
    {
      name: "rows pushed",
      value: perSecond.rows,
      unit: "per second",
      peer: { name: "the engine's own conditional puts", value: perSecond.puts },
      goal: { atLeast: 0.5 },
    },
    {
      name: `requests for ${ROWS.toLocaleString("en")} rows`,
      value: await requestsFor(await aFile(ROWS, folder)),
      unit: "requests",
      peer: { name: "one for each row", value: ROWS },
      goal: { atMost: 0.05 },
    },
  ];
}

/** How many of {@link ROWS} are done in a second. */
async function rate(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return (1_000 * ROWS) / (performance.now() - startedAt);
}

let files = 0;

/** A file of candidates that nobody has yet. */
async function aFile(rows: number, folder: string): Promise<string> {
  files += 1;
  const file = join(folder, `candidates-${files}.ndjson`);
  const submissions = Array.from({ length: rows }, (_, at) => ({
    ...aRealisticSubmission(at),
    externalId: `bench-${files}-${at}`,
  }));
  await writeFile(file, submissions.map((submission) => `${JSON.stringify(submission)}\n`).join(""));
  return file;
}

function pushTo({ baseUrl, organisations: [organisation] }: NpmStart, file: string): Promise<void> {
  return push(file, baseUrl, organisation?.apiKey ?? "");
}

async function push(file: string, url: string, key: string): Promise<void> {
  const environment = { ...process.env, CANDIDATES_URL: url, CANDIDATES_API_KEY: key };
  const { stdout } = await promisify(execFile)(process.execPath, [COMMAND, "push", file], {
    env: environment,
  });
  if (!/: [\d,]+ created\.\n/.test(stdout)) throw new Error(stdout);
}

/** The number of requests that a push of the file takes. */
async function requestsFor(file: string): Promise<number> {
  let requests = 0;
  const server = await aServer(async (request, response) => {
    requests += 1;
    const { candidates } = (await json(request)) as {
      readonly candidates: readonly { externalId: string }[];
    };
    const results = candidates.map(({ externalId }) => ({
      externalId,
      status: 201,
      stagedId: `staged_${externalId}`,
      receivedAt: new Date().toISOString(),
      replayed: false,
    }));
    response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify({ results }));
  });
  await push(file, server.url, "rr_dev_bench");
  server.stop();
  return requests;
}
