import { beforeEach, describe, expect, test } from "vitest";
import type { QueueSource } from "../../local/event-sources/definition.ts";
import type { FunctionDefinition } from "../../local/lambda/function-definition.ts";
import type { ExecutionEnvironment } from "../../tools/simulation/aws/execution-environment.ts";
import { SimulatedQueueSource } from "../../tools/simulation/aws/queue-source.ts";
import { SimulatedQueues } from "../../tools/simulation/aws/queues.ts";
import { type Handler, SimulatedFunction } from "../../tools/simulation/aws/simulated-function.ts";
import { Random } from "../../tools/simulation/random.ts";
import { VirtualClock } from "../../tools/simulation/virtual-clock.ts";

const BEGINNING = Date.parse("2026-06-01T12:00:00.000Z");
const QUEUE_ARN = "arn:aws:sqs:us-east-1:000000000000:jobs";
const QUEUE_URL = "http://queues/000000000000/jobs";

let clock: VirtualClock;
beforeEach(() => {
  clock = new VirtualClock(BEGINNING);
});

const definition: FunctionDefinition = {
  name: "worker",
  arn: "arn:aws:lambda:us-east-1:000000000000:function:worker",
  codeDirectory: "",
  handler: "index.handler",
  timeoutSeconds: 30,
  memoryMegabytes: 512,
  environment: { TABLE_NAME: "t" },
  reservedConcurrency: undefined,
  allowsRecursion: false,
  logLevel: undefined,
};

function aFunction(
  start: (environment: ExecutionEnvironment) => Handler,
  { ends = false, ...overrides }: Partial<FunctionDefinition> & { readonly ends?: boolean } = {},
): SimulatedFunction {
  return new SimulatedFunction(
    { ...definition, ...overrides },
    { clock, random: new Random("lambda"), start, endsDuringInvocation: () => ends, onInvocation() {} },
  );
}

/** What comes of an invocation, with time passing as it must. */
async function resultOf(simulated: SimulatedFunction, event: unknown = {}) {
  let result: Awaited<ReturnType<SimulatedFunction["invoke"]>> | undefined;
  void simulated.invoke(event).then((ended) => {
    result = ended;
  });
  await clock.run(clock.now() + 60_000, () => result !== undefined);
  return result;
}

describe("a simulated function", () => {
  test("reuses a warm environment with its state", async () => {
    const worker = aFunction(() => {
      let invocations = 0;
      return async () => {
        invocations += 1;
        return invocations;
      };
    });

    const counts = [await resultOf(worker), await resultOf(worker)].map((result) => result?.payload);

    expect(counts).toEqual(["1", "2"]);
  });

  test("creates an environment per concurrent invocation, with clocks less than a second apart", async () => {
    const clocks: number[] = [];
    const worker = aFunction(({ runtime }) => async () => {
      clocks.push(runtime.now().getTime() - clock.now());
      await runtime.wait(1_000);
    });

    await Promise.all([worker.invoke({}), worker.invoke({}), clock.run(BEGINNING + 5_000)]);

    expect(new Set(clocks).size).toBe(2);
    expect(Math.max(...clocks) - Math.min(...clocks)).toBeLessThanOrEqual(1_000);
  });

  test("freezes work that its handler does not wait for until the next invocation", async () => {
    let noted = 0;
    const worker = aFunction(({ runtime }) => async () => {
      void runtime.wait(10).then(() => {
        noted += 1;
      });
    });

    await resultOf(worker);
    await clock.run(clock.now() + 60_000);
    const whileFrozen = noted;
    await resultOf(worker);

    expect(whileFrozen).toBe(0);
    expect(noted).toBe(1);
  });

  test("ends at its timeout and abandons pending work", async () => {
    let isDone = false;
    const worker = aFunction(({ runtime }) => async () => {
      await runtime.wait(31_000);
      isDone = true;
    });

    const result = await resultOf(worker);
    await clock.run(clock.now() + 120_000);

    expect(JSON.parse(result?.payload ?? "")).toMatchObject({ errorType: "Sandbox.Timedout" });
    expect(isDone).toBe(false);
  });

  test("can be terminated at any moment of an invocation", async () => {
    const worker = aFunction(
      ({ runtime }) =>
        () =>
          runtime.wait(1_000),
      { ends: true },
    );

    const result = await resultOf(worker);

    expect(JSON.parse(result?.payload ?? "")).toMatchObject({ errorType: "Runtime.ExitError" });
  });

  test("fails with the error that its handler throws", async () => {
    const worker = aFunction(() => () => Promise.reject(new RangeError("Too far.")));

    const result = await resultOf(worker);

    expect(result).toEqual({
      functionError: "Unhandled",
      payload: JSON.stringify({ errorType: "RangeError", errorMessage: "Too far." }),
    });
  });
});

describe("a simulated queue source", () => {
  const source: QueueSource = {
    kind: "queue",
    id: "Jobs",
    functionName: "worker",
    batchSize: 10,
    batchingWindowSeconds: 0,
    reportsItemFailures: true,
    filter: () => true,
    queueArn: QUEUE_ARN,
    maximumConcurrency: 2,
  };

  const never = () => false;
  const once = () => {
    let isOver = false;
    return () => {
      const happens = !isOver;
      isOver = true;
      return happens;
    };
  };

  const retries = { arn: `${QUEUE_ARN}-retries`, url: `${QUEUE_URL}-retries` };
  const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: retries.arn, maxReceiveCount: 20 });
  const definitions = [
    { name: "jobs", url: QUEUE_URL, arn: QUEUE_ARN, attributes: { VisibilityTimeout: "60", RedrivePolicy } },
    { name: "jobs-retries", ...retries, attributes: {} },
  ];

  function feed(
    worker: SimulatedFunction,
    { repeats = never, throttles = never, retry = aWorker(0).worker } = {},
  ): SimulatedQueues {
    const random = new Random("queue");
    const queues = new SimulatedQueues(definitions, { now: () => clock.now(), random: () => random.real() });
    const dependencies = { clock, random, queues, repeats, throttles };
    const feeders = [
      new SimulatedQueueSource(source, worker, { ...dependencies, queueUrl: QUEUE_URL }),
      new SimulatedQueueSource({ ...source, queueArn: retries.arn }, retry, {
        ...dependencies,
        queueUrl: retries.url,
      }),
    ];
    queues.onChange(() => {
      for (const feeder of feeders) feeder.look();
    });
    return queues;
  }

  const send = (queues: SimulatedQueues, MessageBody: string, traceHeader?: string) =>
    queues.handle("SendMessage", { QueueUrl: QUEUE_URL, MessageBody }, traceHeader);

  /** A worker that fails the message `bad` so many times. */
  function aWorker(failures: number) {
    const seen: string[] = [];
    let left = failures;
    const worker = aFunction(() => async (event) => {
      const { Records } = event as { Records: { messageId: string; body: string }[] };
      seen.push(...Records.map(({ body }) => body));
      const bad = Records.filter(({ body }) => {
        if (body !== "bad" || left === 0) return false;
        left -= 1;
        return true;
      });
      return { batchItemFailures: bad.map(({ messageId }) => ({ itemIdentifier: messageId })) };
    });
    return { worker, seen };
  }

  test("deletes handled messages, and delivers failed ones again when they are visible", async () => {
    const { worker, seen } = aWorker(1);
    const queues = feed(worker);
    send(queues, "good");
    send(queues, "bad");

    await clock.run(BEGINNING + 59_000);
    const before = seen.toSorted();
    await clock.run(BEGINNING + 120_000);

    expect(before).toEqual(["bad", "good"]);
    expect(seen.toSorted()).toEqual(["bad", "bad", "good"]);
    expect(queues.bodiesIn(QUEUE_URL)).toEqual([]);
  });

  test("delivers to the next queue what SQS moves there", async () => {
    const { worker, seen } = aWorker(20);
    const next = aWorker(0);
    const queues = feed(worker, { retry: next.worker });
    send(queues, "bad");

    await clock.run(BEGINNING + 1_300_000);

    expect(seen).toHaveLength(20);
    expect(next.seen).toEqual(["bad"]);
    expect(queues.bodiesIn(retries.url)).toEqual([]);
  });

  test("delivers a message twice when SQS does", async () => {
    const { worker, seen } = aWorker(0);
    const queues = feed(worker, { repeats: once() });
    send(queues, "good");

    await clock.run(BEGINNING + 300_000);

    expect(seen).toEqual(["good", "good"]);
  });

  test("delivers a throttled message again when it is visible", async () => {
    const { worker, seen } = aWorker(0);
    const queues = feed(worker, { throttles: once() });
    send(queues, "good");

    await clock.run(BEGINNING + 59_000);
    const before = [...seen];
    await clock.run(BEGINNING + 120_000);

    expect(before).toEqual([]);
    expect(seen).toEqual(["good"]);
    expect(queues.bodiesIn(QUEUE_URL)).toEqual([]);
  });

  test("does not deliver a message whose chain has invoked the function sixteen times", async () => {
    const { worker, seen } = aWorker(0);
    const queues = feed(worker);
    const sendOn = aFunction((environment) => async () => environment.traceHeader);
    let lineage = "";
    for (let round = 0; round < 16; round++) {
      let next: string | undefined;
      void sendOn.invoke({}, [lineage]).then(({ payload }) => {
        next = JSON.parse(payload);
      });
      await clock.run(clock.now() + 10_000, () => next !== undefined);
      lineage = next ?? "";
    }
    send(queues, "recursive", lineage);

    await clock.run(clock.now() + 600_000);

    expect(seen).toEqual([]);
    expect(queues.bodiesIn(QUEUE_URL)).toEqual(["recursive"]);
  });
});
