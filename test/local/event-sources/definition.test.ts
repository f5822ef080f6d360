import { expect, test } from "vitest";
import { readEventSources } from "../../../local/event-sources/definition.ts";
import { Template } from "../../../local/template.ts";

const OPTIONS = { stackName: "Fixture", queuesEndpoint: "http://127.0.0.1:1" };

function sourceWith(properties: object) {
  const Source = {
    Type: "AWS::Lambda::EventSourceMapping",
    Properties: {
      FunctionName: "Consume",
      EventSourceArn: "arn:aws:sqs:us-east-1:000000000000:Fixture-Work",
      ...properties,
    },
  };
  return readEventSources(new Template({ Resources: { Source } }, OPTIONS))[0];
}

function batchesAtOnce(properties: object): unknown {
  const source = sourceWith(properties);
  return source?.kind === "queue" && source.maximumConcurrency;
}

test("An event source that is disabled in the template is not read", () => {
  expect(sourceWith({ Enabled: true })).toMatchObject({ kind: "queue", batchSize: 10 });
  expect(sourceWith({ Enabled: false })).toBeUndefined();
});

test("A stream's source has AWS's defaults", () => {
  const EventSourceArn = "arn:aws:dynamodb:us-east-1:000000000000:table/Fixture-Table/stream/local";

  expect(sourceWith({ EventSourceArn })).toMatchObject({
    kind: "stream",
    tableName: "Fixture-Table",
    batchSize: 100,
    batchingWindowSeconds: 0,
    bisectsOnError: false,
    maximumRetryAttempts: -1,
    maximumRecordAgeSeconds: -1,
    parallelizationFactor: 1,
  });
});

test("A queue is consumed by as many batches at once as its template allows", () => {
  expect(batchesAtOnce({})).toBe(5);
  expect(batchesAtOnce({ ScalingConfig: { MaximumConcurrency: 7 } })).toBe(7);
});

test("A provisioned poller of a queue runs ten batches at once, as in AWS, but no more than fifty run locally", () => {
  expect(batchesAtOnce({ ProvisionedPollerConfig: { MinimumPollers: 2, MaximumPollers: 3 } })).toBe(30);
  expect(batchesAtOnce({ ProvisionedPollerConfig: { MinimumPollers: 80, MaximumPollers: 90 } })).toBe(50);
});

test("Provisioned pollers and a maximum concurrency of the same queue are refused, as by AWS", () => {
  const both = {
    ProvisionedPollerConfig: { MinimumPollers: 2, MaximumPollers: 3 },
    ScalingConfig: { MaximumConcurrency: 10 },
  };
  expect(() => batchesAtOnce(both)).toThrow(/a maximum concurrency and provisioned pollers/);
});

test.each([
  ["BatchSize", { BatchSize: 0 }],
  ["BatchSize", { BatchSize: 10_001 }],
  ["ParallelizationFactor", { ParallelizationFactor: 11 }],
  ["MaximumConcurrency", { ScalingConfig: { MaximumConcurrency: 1 } }],
  ["MaximumConcurrency", { ScalingConfig: { MaximumConcurrency: 1001 } }],
])("An event source is refused, as by AWS, with the %s in %j", (name, properties) => {
  expect(() => sourceWith(properties)).toThrow(name);
});
