import { ProvisionedThroughputExceededException } from "@aws-sdk/client-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from "aws-lambda";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { transition } from "#candidates/change";
import { parseHandle } from "#candidates/handles";
import { CandidateRepository } from "#candidates/store/candidate-repository";
import type { WithTable } from "#runtime/dynamodb";
import { runtime } from "#runtime/runtime";
import { capturedLogs } from "../builders/captured-logs.ts";
import { clientAround } from "../builders/client-around.ts";
import { aLambdaContext, aProxyEvent } from "../builders/proxy-event.ts";
import { runtimeAt } from "../builders/runtime.ts";
import { aSubmission, documentsOf } from "../builders/submission.ts";
import { anyRefusedSubmission, anySubmission } from "../contract/cases.ts";
import { propertyRuns } from "../property-runs.ts";
import { SimulatedStore } from "../simulation/simulated-store.ts";

vi.hoisted(() => {
  vi.stubEnv("POWERTOOLS_METRICS_NAMESPACE", "CandidateService");
  vi.stubEnv("POWERTOOLS_METRICS_DISABLED", "false");
});

const { createCandidate } = await import("../../functions/api/create-candidate.ts");
const { createCandidateBatch } = await import("../../functions/api/create-candidate-batch.ts");

const logs = capturedLogs();

let store: SimulatedStore;
beforeEach(() => {
  store = new SimulatedStore();
});

const dependencies = ({ client: documentClient, now, tableName }: SimulatedStore): WithTable => ({
  ...runtime,
  now,
  documentClient,
  variables: { TABLE_NAME: tableName },
});

type Handler = (event: APIGatewayProxyEvent, context: Context) => Promise<APIGatewayProxyResult>;
type Result = Readonly<Record<string, unknown>>;

async function send(handler: unknown, body: unknown, context: Context = aLambdaContext) {
  const { statusCode, headers, body: text } = await (handler as Handler)(aProxyEvent({ body }), context);
  return { status: statusCode, headers, body: JSON.parse(text) as Result };
}

async function resultsOf(candidates: readonly unknown[], context?: Context): Promise<Result[]> {
  const { status, body } = await send(createCandidateBatch(dependencies(store)), { candidates }, context);
  expect(status).toBe(200);
  return body["results"] as Result[];
}

/** The store's client, with something that happens before each request. */
const clientThat = (before: (input: { Item?: Result }) => Promise<void>) =>
  clientAround(store.client, async ({ command }, send) => {
    await before(command.input as { Item?: Result });
    return send();
  });

/** What a single create responds, in the form of a row's result. */
async function singly(row: unknown): Promise<Result> {
  const { status, headers, body } = await send(createCandidate(dependencies(store)), JSON.stringify(row));
  const { externalId = null } = (row ?? {}) as { externalId?: unknown };
  if (status === 201) {
    const { stagedId, receivedAt } = body;
    const replayed = headers?.["Idempotent-Replayed"] === "true";
    return { externalId, status, stagedId, receivedAt, replayed };
  }
  const { error, message } = body;
  const isIdentifier = typeof externalId === "string" && externalId !== "" && [...externalId].length <= 128;
  return {
    externalId: isIdentifier && externalId.isWellFormed() ? externalId : null,
    status,
    error,
    message: String(message).replaceAll("body: ", "candidate: "),
  };
}

// Few identifiers, so that rows of one batch, and those of the next one, are about the same candidates.
const anyIdentifier = fc.constantFrom("ext-1", "ext-2", "ext-3", "ext-4");
const anyRow: fc.Arbitrary<unknown> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .tuple(anySubmission, anyIdentifier)
      .map(([body, externalId]) => ({ ...body, externalId }) as unknown),
  },
  { weight: 3, arbitrary: anyRefusedSubmission.map(({ body }): unknown => body) },
  { weight: 1, arbitrary: fc.jsonValue() },
);
const anyBatches = fc.array(fc.array(anyRow, { minLength: 1, maxLength: 12 }), {
  minLength: 1,
  maxLength: 3,
});

test("a batch responds row by row what single creates in the same order would", async () => {
  await fc.assert(
    fc.asyncProperty(anyBatches, async (batches) => {
      const [together, apart] = [new SimulatedStore(), new SimulatedStore()];
      for (const candidates of batches) {
        store = together;
        const results = await resultsOf(candidates);
        store = apart;
        const expected: Result[] = [];
        for (const row of candidates) expected.push(await singly(row));
        expect(results).toEqual(expected);
        for (const each of [together, apart]) each.pass(1_000);
      }
      // Apart from ids at random, the tables hold the same.
      const stored = ({ table }: SimulatedStore) =>
        [...table.items()]
          .map((item) => unmarshall(item))
          .map(({ writeId, event, ...item }) => JSON.stringify({ ...item, type: event?.type }))
          .sort();
      expect(stored(together)).toEqual(stored(apart));
    }),
    // Some four hundred rows, of four candidates.
    { numRuns: propertyRuns(30) },
  );
});

test("the first valid row of an externalId is created, however long its write takes", async () => {
  const rows = ["First", "Second", "Third"].map((firstName) =>
    aSubmission({ externalId: "ext-1", firstName }),
  );
  let writes = 0;
  const documentClient = clientThat(async () => {
    writes += 1;
    if (writes === 1) await runtime.wait(20);
  });
  const handler = createCandidateBatch({ ...dependencies(store), documentClient });
  const candidates = [{ ...rows[0], email: "invalid" }, ...rows];

  const { body } = await send(handler, { candidates });

  expect(body["results"]).toMatchObject([
    { externalId: "ext-1", status: 400 },
    { externalId: "ext-1", status: 201, replayed: false },
    { externalId: "ext-1", status: 201, replayed: true },
    { externalId: "ext-1", status: 201, replayed: true },
  ]);
  expect([...store.table.items()].map((item) => unmarshall(item)["firstName"])).toEqual(["First"]);
  const [, ...received] = body["results"] as Result[];
  expect(new Set(received.map(({ stagedId }) => stagedId)).size).toBe(1);
});

test("no more than ten rows are received at once", async () => {
  let underWay = 0;
  let most = 0;
  const documentClient = clientThat(async () => {
    underWay += 1;
    most = Math.max(most, underWay);
    await runtime.wait(2);
    underWay -= 1;
  });
  const handler = createCandidateBatch({ ...dependencies(store), documentClient });

  const { body } = await send(handler, { candidates: Array.from({ length: 100 }, () => aSubmission()) });

  expect((body["results"] as Result[]).every(({ status }) => status === 201)).toBe(true);
  expect(most).toBe(10);
});

describe("if the table throttles some of its writes", () => {
  const throttled = new ProvisionedThroughputExceededException({
    message: "Throughput exceeded",
    $metadata: { httpStatusCode: 400 },
  });
  const candidates = Array.from({ length: 30 }, (_, index) => aSubmission({ externalId: `ext-${index}` }));
  const handlerThatThrottles = () => {
    let writes = 0;
    const documentClient = clientThat(async () => {
      writes += 1;
      if (writes % 3 === 0) throw throttled;
    });
    return createCandidateBatch({ ...dependencies(store), documentClient });
  };

  test("those rows are refused with 503, and all others are received", async () => {
    const { status, body } = await send(handlerThatThrottles(), { candidates });

    const results = body["results"] as Result[];
    expect(status).toBe(200);
    expect(results.map(({ externalId }) => externalId)).toEqual(candidates.map((row) => row.externalId));
    expect(Object.groupBy(results, (result) => String(result["status"]))).toEqual({
      201: Array(20).fill(expect.objectContaining({ replayed: false })),
      503: Array(10).fill({
        externalId: expect.any(String),
        status: 503,
        error: "service_unavailable",
        message: expect.stringMatching(/Send this candidate again/),
      }),
    });
  });

  test("the same batch again receives them, and replays the others", async () => {
    const first = (await send(handlerThatThrottles(), { candidates })).body["results"] as Result[];

    const second = await resultsOf(candidates);

    expect(second.map(({ status, replayed }) => [status, replayed])).toEqual(
      first.map(({ status }) => [201, status === 201]),
    );
  });

  test("one line is logged, with their number, and the metric counts them", async () => {
    await send(handlerThatThrottles(), { candidates });

    const lines = logs.lines().map((line) => JSON.parse(line));
    expect(lines.filter(({ level }) => level === "ERROR")).toEqual([
      expect.objectContaining({ message: "service_unavailable", rows: 10 }),
    ]);
    expect(lines.find((line) => "_aws" in line)).toMatchObject({ BatchFaults: 10 });
  });
});

test("a fault about one row is its 500, with a line of its own, and refuses no other row", async () => {
  const documentClient = clientThat(async ({ Item }) => {
    if (Item?.["externalId"] === "ext-2") throw new TypeError("secret cause");
  });
  const handler = createCandidateBatch({ ...dependencies(store), documentClient });
  const candidates = ["ext-1", "ext-2", "ext-3"].map((externalId) => aSubmission({ externalId }));

  const { body } = await send(handler, { candidates });

  expect(body["results"]).toMatchObject([
    { status: 201 },
    { externalId: "ext-2", status: 500, error: "internal_error" },
    { status: 201 },
  ]);
  expect(JSON.stringify(body)).not.toContain("secret");
  expect(logs.lines().map((line) => JSON.parse(line))).toContainEqual(
    expect.objectContaining({
      message: "internal_error",
      rows: 1,
      cause: expect.objectContaining({ name: "TypeError", message: "secret cause" }),
    }),
  );
});

describe("with no time left", () => {
  /** A function that has so many ms when it begins, of which each look at the clock takes one second. */
  const withTime = (ms: number): Context => {
    let left = ms;
    return {
      ...aLambdaContext,
      getRemainingTimeInMillis: () => {
        left -= 1_000;
        return left;
      },
    };
  };

  test("rows that are not begun are refused with 503, and the table is not asked about them", async () => {
    const candidates = Array.from({ length: 20 }, () => aSubmission());

    const results = await resultsOf(candidates, withTime(19_000));

    expect(results.map(({ status }) => status)).toEqual([...Array(5).fill(201), ...Array(15).fill(503)]);
    expect([...store.table.items()]).toHaveLength(5);
  });

  test("rows of over 128 KiB, which take several requests, are not begun while others still are", async () => {
    const large = aSubmission({ documents: documentsOf(140_000) });

    const results = await resultsOf([large, aSubmission(), large], withTime(20_999));

    expect(results.map(({ status }) => status)).toEqual([503, 201, 503]);
    expect((await resultsOf([large], withTime(21_000)))[0]?.["status"]).toBe(201);
  });

  test("invalid rows are refused with 400 all the same", async () => {
    const results = await resultsOf([aSubmission(), { externalId: "ext-2" }], withTime(0));

    expect(results.map(({ status, error }) => [status, error])).toEqual([
      [503, "service_unavailable"],
      [400, "invalid_request"],
    ]);
  });
});

describe("if each request to the table takes 5.5 s", () => {
  const TIMEOUT_MS = 25_000;
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const slowly = async (candidates: readonly unknown[]) => {
    const documentClient = clientThat(() => new Promise((resolve) => setTimeout(resolve, 5_500)));
    const deadline = Date.now() + TIMEOUT_MS;
    const getRemainingTimeInMillis = () => deadline - Date.now();
    const handler = createCandidateBatch({ ...dependencies(store), documentClient });
    const response = send(handler, { candidates }, { ...aLambdaContext, getRemainingTimeInMillis });
    await vi.advanceTimersByTimeAsync(TIMEOUT_MS);
    return Promise.race([response, "no response before the timeout" as const]);
  };
  const erase = async (stagedId: unknown) => {
    const candidates = new CandidateRepository(store.client, store.tableName, runtimeAt(store.now));
    await candidates.change("acme", parseHandle(String(stagedId)), transition("erase"));
  };

  test.each([
    ["are over 128 KiB", { documents: documentsOf(140_000) }],
    ["are stored in parts", { documents: documentsOf(400_000) }],
    ["follow an erasure", {}],
  ])("a batch has its results before the timeout, also if rows %s", async (_what, members) => {
    const slow = Array.from({ length: 9 }, () => aSubmission(members));
    if (!("documents" in members)) for (const { stagedId } of await resultsOf(slow)) await erase(stagedId);
    const others = Array.from({ length: 30 }, () => aSubmission());

    const response = await slowly([
      ...slow.slice(0, 3),
      ...others.slice(0, 12),
      ...slow.slice(3, 6),
      ...others.slice(12),
      ...slow.slice(6),
    ]);

    if (typeof response === "string") throw new Error(response);
    const results = response.body["results"] as Result[];
    const statuses = results.map(({ status }) => status);
    expect(statuses.slice(0, 10)).toEqual(Array(10).fill(201));
    expect(statuses.slice(-3)).toEqual([503, 503, 503]);
  });
});

test("a candidate too large for one item is received in parts", async () => {
  const results = await resultsOf([aSubmission({ documents: documentsOf(600_000) }), aSubmission()]);

  expect(results).toMatchObject([{ status: 201 }, { status: 201 }]);
  expect([...store.table.items()].map((item) => unmarshall(item)["sk"])).toContainEqual(
    expect.stringMatching(/^PART#documents#/),
  );
});

test("a candidate too large for a response is refused with its own 413", async () => {
  // In a response each quotation mark takes four bytes: fifty assessments of 86 KB in all.
  const competencies = Array(100).fill({ code: "LOGIC", label: '"'.repeat(200) });
  const assessments = Array(50).fill({ name: "Reasoning", status: "completed", competencies });

  const results = await resultsOf([
    aSubmission(),
    aSubmission({ documents: documentsOf(1_800_000), assessments }),
  ]);

  expect(results).toMatchObject([
    { status: 201 },
    {
      status: 413,
      error: "payload_too_large",
      message: "The record would take up more than 5.9 MB of a response. Send less data.",
    },
  ]);
});

test("the log has the rows' number and their handles, and nothing that was sent", async () => {
  const ada = aSubmission({ externalId: "ada@example.com", firstName: "Adelaide" });

  const [received] = await resultsOf([ada, { ...ada, email: "not-an-address" }, { nickname: "Adelaide" }]);

  const lines = logs.lines().map((each) => JSON.parse(each));
  expect(lines.filter((each) => each.level === "ERROR" || "_aws" in each)).toEqual([]);
  expect(lines.find(({ message }) => message === "request")).toMatchObject({
    operationId: "createCandidateBatch",
    outcome: "ok",
    rows: 3,
    stagedIds: [received?.["stagedId"]],
  });
  expect(logs.text()).not.toMatch(/ada@|Adelaide|not-an-address/);
});
