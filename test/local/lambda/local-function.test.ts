import { writeFile } from "node:fs/promises";
import { availableParallelism, constants, getPriority } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { LocalFunction } from "../../../local/lambda/local-function.ts";
import { Processors } from "../../../local/lambda/processors.ts";
import { Semaphore } from "../../../local/lambda/semaphore.ts";
import { temporaryFolder } from "../../builders/temporary-folder.ts";
import { LogLines } from "../fixture-assembly.ts";

/**
 * Prints that its environment has loaded. Returns the environment's name; if asked to, prints it and waits for a file
 * first.
 */
const code = `import { existsSync } from "node:fs";
  import { setTimeout } from "node:timers/promises";
  import { threadId } from "node:worker_threads";
  console.log("loaded " + threadId);
  export const handler = async ({ ms = 0, awaited }) => {
    await setTimeout(ms);
    if (awaited) console.log("waits " + threadId);
    while (awaited && !existsSync(awaited)) await setTimeout(20);
    return threadId;
  };`;

interface Settings {
  readonly source?: string;
  readonly ending?: string;
  readonly logLevel?: string;
  readonly reservedConcurrency?: number | undefined;
  readonly timeoutSeconds?: number;
  readonly idleMs?: number;
  readonly starts?: Semaphore;
  readonly furtherStarts?: Semaphore;
  readonly processors?: Pick<Processors, "areBusy">;
}

async function aFunction({
  source = code,
  ending = "mjs",
  logLevel,
  reservedConcurrency,
  timeoutSeconds = 10,
  processors = { areBusy: () => false },
  ...options
}: Settings = {}) {
  const codeDirectory = await temporaryFolder();
  await writeFile(join(codeDirectory, `index.${ending}`), source);
  const lines = new LogLines();
  const made = new LocalFunction(
    {
      name: "Fixture",
      arn: "arn:aws:lambda:us-east-1:000000000000:function:Fixture",
      codeDirectory,
      handler: "index.handler",
      timeoutSeconds,
      memoryMegabytes: 128,
      environment: { STAGE: "local", AWS_REGION: "the template's" },
      reservedConcurrency,
      allowsRecursion: false,
      logLevel,
    },
    {
      environment: { AWS_REGION: "the stack's" },
      starts: new Semaphore(2),
      furtherStarts: new Semaphore(1),
      processors,
      ...options,
      onLog: lines.add,
    },
  );
  onTestFinished(() => made.close());
  const invoke = async (event: object = {}) => (await made.invoke(JSON.stringify(event))).payload;
  return { lines, invoke, close: () => made.close() };
}

test("A hundred calls at once are handled by an execution environment for each processor, or fewer", async () => {
  // On a busy machine, short calls take long too: that they do not wait for anything else shows in the measured load.
  const { invoke, lines } = await aFunction({ processors: new Processors() });

  await Promise.all(Array.from({ length: 100 }, () => invoke({ ms: 20 })));

  expect(lines.all.length).toBeLessThanOrEqual(availableParallelism());
});

test.each([
  [undefined, 10],
  [3, 3],
])(
  "Calls that take long run concurrently: with a reserved concurrency of %s, %i of them",
  async (reservedConcurrency, count) => {
    const awaited = join(await temporaryFolder(), "released");
    const { invoke, lines } = await aFunction({ reservedConcurrency });

    const calls = Array.from({ length: 12 }, () => invoke({ awaited }));
    await lines.first(count, "waits ");
    await writeFile(awaited, "");

    expect(new Set(await Promise.all(calls)).size).toBe(count);
  },
);

test("Calls that take long because the processors are busy start no more environments than there are processors", async () => {
  const { invoke, lines } = await aFunction({ processors: { areBusy: () => true } });

  await Promise.all(Array.from({ length: 4 * availableParallelism() }, () => invoke({ ms: 400 })));

  expect(lines.all.length).toBeLessThanOrEqual(availableParallelism());
});

test("While a call waits for something else, further ones find execution environments that have been started", async () => {
  const awaited = join(await temporaryFolder(), "released");
  const { invoke, lines } = await aFunction();

  const first = invoke({ awaited });
  const started = await lines.first(3, "loaded ");
  const further = [invoke({ awaited }), invoke({ awaited })];
  await lines.first(3, "waits ");
  await writeFile(awaited, "");

  expect((await Promise.all([first, ...further])).toSorted()).toEqual(started.toSorted());
});

test.skipIf(process.platform !== "linux")(
  "Execution environments beyond the processors get less of them, and are used last",
  async () => {
    const awaited = join(await temporaryFolder(), "released");
    const { invoke, lines } = await aFunction({
      // One for each call: of more, those that load first would take the calls.
      reservedConcurrency: availableParallelism() + 1,
      source: code
        .replace("return threadId", "return getPriority(0)")
        .replace("import {", 'import { getPriority } from "node:os"; import {'),
    });
    const normal = Array.from({ length: availableParallelism() }, () => String(getPriority()));
    const low = String(Math.max(getPriority(), constants.priority.PRIORITY_BELOW_NORMAL));

    const calls = Array.from({ length: normal.length + 1 }, () => invoke({ awaited }));
    await lines.first(calls.length, "waits ");
    await writeFile(awaited, "");

    expect((await Promise.all(calls)).toSorted()).toEqual([...normal, low].toSorted());
    expect(await Promise.all(normal.map(() => invoke({ ms: 20 })))).toEqual(normal);
  },
);

test("A call starts no second execution environment while an idle one is there", async () => {
  const { invoke, lines } = await aFunction();

  expect(await invoke()).toBe(await invoke());
  expect(lines.all).toHaveLength(1);
});

test("An idle execution environment ends, and the next call starts another one", async () => {
  const { invoke, lines } = await aFunction({ idleMs: 50 });
  const first = await invoke();

  await delay(300);

  expect(await invoke()).not.toBe(first);
  expect(lines.all).toHaveLength(2);
});

test("A call that runs when its function is closed gets its result", async () => {
  const awaited = join(await temporaryFolder(), "released");
  const { invoke, lines, close } = await aFunction();
  const call = invoke({ awaited });
  const [environment] = await lines.first(1, "waits ");

  const closed = close();
  await writeFile(awaited, "");

  expect(await call).toBe(environment);
  await closed;
});

test("Every line that a function writes is logged, also the last ones before its process ends", async () => {
  const { invoke, lines } = await aFunction({
    source: `export const handler = () => {
      console.log("one\\n\\nthree");
      process.stderr.write(Buffer.from("four"));
      process.exit(1);
    };`,
  });

  expect(JSON.parse(await invoke())).toMatchObject({ errorType: "Runtime.ExitError" });

  expect(lines.all.slice(0, -1)).toEqual(["one", "", "three", "four"]);
});

test("A function gets its context, its trace header and its settings, as in Lambda", async () => {
  const { invoke } = await aFunction({
    logLevel: "WARN",
    source: `export const handler = async (_event, context) => ({ ...context, env: process.env });`,
  });

  const { env, ...context } = JSON.parse(await invoke());
  expect(context).toMatchObject({
    functionName: "Fixture",
    functionVersion: "$LATEST",
    invokedFunctionArn: "arn:aws:lambda:us-east-1:000000000000:function:Fixture",
    memoryLimitInMB: "128",
    awsRequestId: expect.stringMatching(/^[\da-f-]{36}$/),
    logGroupName: "/aws/lambda/Fixture",
  });
  expect(env).toMatchObject({
    STAGE: "local",
    AWS_REGION: "the stack's",
    AWS_LAMBDA_LOG_LEVEL: "WARN",
    _X_AMZN_TRACE_ID: expect.stringMatching(
      /^Root=1-[\da-f]{8}-[\da-f]{24};Parent=[\da-f]{16};Sampled=0;Lineage=/,
    ),
  });
  expect(env).not.toHaveProperty("NODE_COMPILE_CACHE");
});

test.each(["js", "cjs"])(
  "A bundle in CommonJS, index.%s, is loaded, and no result is null",
  async (ending) => {
    const { invoke } = await aFunction({ ending, source: "exports.handler = async () => {};" });

    expect(await invoke()).toBe("null");
  },
);

test("A response over Lambda's 6 MB is an error, in bytes of UTF-8", async () => {
  const { invoke } = await aFunction({
    source: `export const handler = async () => "é".repeat(3 * 1024 * 1024);`,
  });

  expect(JSON.parse(await invoke())).toMatchObject({ errorType: "Function.ResponseSizeTooLarge" });
});

test("An error that a function throws is logged with its stack, as Lambda's runtime does", async () => {
  const { invoke, lines } = await aFunction({
    source: `export const handler = async () => { throw new RangeError("out of range"); };`,
  });

  await invoke();

  expect(JSON.parse(lines.all[0] ?? "")).toMatchObject({
    level: "ERROR",
    requestId: expect.any(String),
    message: {
      errorType: "RangeError",
      errorMessage: "out of range",
      stackTrace: expect.arrayContaining(["RangeError: out of range"]),
    },
  });
});

/** Prints when it begins to load and when it has loaded. Waits for a file, if asked to. */
const slowlyLoaded = `import { existsSync } from "node:fs";
  import { setTimeout } from "node:timers/promises";
  console.log("begins " + Date.now());
  await setTimeout(200);
  console.log("loaded " + Date.now());
  export const handler = async ({ awaited }) => {
    while (awaited && !existsSync(awaited)) await setTimeout(20);
  };`;

test("Functions that are called at once start their execution environments one after another", async () => {
  const starts = new Semaphore(1);
  const functions = await Promise.all([1, 2, 3].map(() => aFunction({ source: slowlyLoaded, starts })));

  await Promise.all(functions.map(({ invoke }) => invoke()));

  const times = functions.map(({ lines }) => lines.all.map((line) => Number(line.split(" ")[1])));
  const [first, second, third] = times.toSorted(([one = 0], [other = 0]) => one - other);
  expect(second?.[0]).toBeGreaterThanOrEqual(first?.[1] ?? Number.NaN);
  expect(third?.[0]).toBeGreaterThanOrEqual(second?.[1] ?? Number.NaN);
});

test("Execution environments beyond the processors start one after another, those of all functions", async () => {
  const processors = availableParallelism();
  const shared = { source: slowlyLoaded, starts: new Semaphore(4), furtherStarts: new Semaphore(1) };
  const functions = await Promise.all([1, 2].map(() => aFunction(shared)));
  const awaited = join(await temporaryFolder(), "released");

  const calls = functions.flatMap(({ invoke }) =>
    Array.from({ length: processors + 1 }, () => invoke({ awaited })),
  );
  await Promise.all(functions.map(({ lines }) => lines.first(processors + 1, "loaded ")));
  await writeFile(awaited, "");
  await Promise.all(calls);

  const further = functions.flatMap(({ lines }) => {
    const at = (event: string) =>
      lines.all.filter((line) => line.startsWith(event)).map((line) => Number(line.split(" ")[1]));
    const ends = at("loaded");
    return at("begins")
      .map((begin, index) => ({ begin, end: ends[index] ?? Number.NaN }))
      .slice(processors);
  });
  expect(further.length).toBeGreaterThanOrEqual(2);
  const inOrder = further.toSorted((one, other) => one.begin - other.begin);
  for (const [index, { begin }] of inOrder.slice(1).entries()) {
    expect(begin).toBeGreaterThanOrEqual(inOrder[index]?.end ?? Number.NaN);
  }
});

test("A call that exceeds its function's timeout fails, and the next one gets another execution environment", async () => {
  const { invoke, lines } = await aFunction({ timeoutSeconds: 0.05, reservedConcurrency: 1 });

  const errors = [await invoke({ ms: 60_000 }), await invoke({ ms: 60_000 })];

  expect(errors.map((error) => JSON.parse(error))).toEqual(
    Array(2).fill({
      errorType: "Sandbox.Timedout",
      errorMessage: expect.stringMatching(
        /^RequestId: [\da-f-]{36} Error: Task timed out after 0\.05 seconds$/,
      ),
      trace: [],
    }),
  );
  expect(lines.all.filter((line) => line.startsWith("loaded "))).toHaveLength(2);
});

test("A bundle that cannot be loaded fails each call, and blocks none", async () => {
  const { invoke } = await aFunction({ source: `throw new Error("not today");` });

  const errors = await Promise.all([invoke(), invoke(), invoke()]);

  expect(errors.map((error) => JSON.parse(error).errorMessage)).toEqual(Array(3).fill("not today"));
});
