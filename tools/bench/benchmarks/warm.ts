import { createRequire } from "node:module";
import { join } from "node:path";
import { type DynamoDBDocumentClient, PutCommand } from "@aws-sdk/lib-dynamodb";
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from "aws-lambda";
import { measure } from "mitata";
import { runtime } from "#runtime/runtime";
import { bundleOf } from "../../../infra/bundles.ts";
import { ACME } from "../../../test/builders/organisation.ts";
import { aLambdaContext } from "../../../test/builders/proxy-event.ts";
import { type Benchmark, interleaved, processorTime } from "../figure.ts";
import { lambdaEnvironment, startProcess } from "../processes.ts";
import { REQUESTS } from "../requests.ts";
import { aRealisticSubmission } from "../submissions.ts";

const ROUNDS = 9;
const CALLS = 200;

type Handler = (event: APIGatewayProxyEvent, context: Context) => Promise<APIGatewayProxyResult>;

export const benchmark: Benchmark = {
  title: "Warm handlers",
  method:
    "Processor time per call in a warm process. Another process stands in for AWS and responds at once. The first figure is a create with the realistic submission, by the deployed bundle, including the log line, compared with the AWS SDK's put of the same item. The others are the parts of a create and of a read that do not use AWS.",
  async measure() {
    const stub = await startProcess<string>("aws-stub.ts");
    Object.assign(process.env, lambdaEnvironment(stub.ready));
    const { handler } = createRequire(import.meta.url)(join(bundleOf("create-candidate"), "index.js")) as {
      handler: Handler;
    };
    // What reads the environment is loaded when the environment is there.
    const { documentClient } = await import("#runtime/dynamodb");
    const item = await storedItem();
    const create = async () => {
      const { statusCode } = await handler(
        structuredClone(REQUESTS["create-candidate"]) as APIGatewayProxyEvent,
        aLambdaContext,
      );
      if (statusCode !== 201) throw new Error(`create responds ${statusCode}`);
    };
    const put = () => documentClient.send(new PutCommand({ TableName: "bench", Item: item }));
    await repeated(2 * CALLS, create);
    await repeated(2 * CALLS, put);
    const processor = await interleaved(ROUNDS, {
      create: () => processorTime(() => repeated(CALLS, create)),
      put: () => processorTime(() => repeated(CALLS, put)),
    });
    await stub.stop();

    const parts = await withoutAws();
    const parse = { name: "JSON.parse alone", value: parts.parse };
    return [
      {
        name: "create, processor time",
        value: (1_000 * processor.create) / CALLS,
        unit: "µs",
        peer: { name: "the AWS SDK's put of the same item", value: (1_000 * processor.put) / CALLS },
        goal: { atMost: 2.4 },
      },
      { name: "create without AWS: parse, validate, pack", value: parts.create, unit: "µs", peer: parse },
      {
        name: "read without AWS: unpack, project, serialise",
        value: parts.read,
        unit: "µs",
        peer: { name: "JSON.stringify alone", value: parts.stringify },
      },
    ];
  },
};

async function repeated(times: number, call: () => Promise<unknown>): Promise<void> {
  for (let time = 0; time < times; time++) await call();
}

/** What the repository puts for the realistic submission. */
async function storedItem(): Promise<Record<string, unknown>> {
  const { CandidateRepository } = await import("#candidates/store/candidate-repository");
  const { CandidateSubmission } = await import("#contract/candidate-submission");
  const items: Record<string, unknown>[] = [];
  const client = {
    async send({ input }: PutCommand) {
      items.push(input.Item ?? {});
      return {};
    },
  };
  await new CandidateRepository(client as unknown as DynamoDBDocumentClient, "bench", runtime).receive(
    ACME,
    CandidateSubmission.parse(aRealisticSubmission()),
  );
  const [item] = items;
  if (!item) throw new Error("The repository did not put an item.");
  return item;
}

async function withoutAws() {
  const { CandidateSubmission } = await import("#contract/candidate-submission");
  const { packMembers, toCandidate } = await import("#candidates/store/item/candidate-item");
  const { toCandidateRecord } = await import("#candidates/projection");
  type Item = Parameters<typeof toCandidate>[1];
  const text = JSON.stringify(aRealisticSubmission());
  const item = (await storedItem()) as Item;
  const digest = "0".repeat(26);
  const record = toCandidateRecord(toCandidate(digest, item));
  return interleaved(3, {
    parse: () => microseconds(() => JSON.parse(text)),
    create: () => microseconds(() => packMembers(CandidateSubmission.parse(JSON.parse(text)))),
    read: () => microseconds(() => JSON.stringify(toCandidateRecord(toCandidate(digest, item)))),
    stringify: () => microseconds(() => JSON.stringify(record)),
  });
}

async function microseconds(work: () => unknown): Promise<number> {
  const { p50 } = await measure(work, { min_cpu_time: 200e6, min_samples: 20 });
  return p50 / 1_000;
}
