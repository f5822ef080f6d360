import { randomUUID } from "node:crypto";
import { globSync } from "node:fs";
import { resolve } from "node:path";
import { InternalServerError } from "@aws-sdk/client-dynamodb";
import { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { SendMessageBatchCommand, SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { DynamoDBDocumentClient, QueryCommand } from "@aws-sdk/lib-dynamodb";
import type { Handler } from "aws-lambda";
import { mockClient } from "aws-sdk-client-mock";
import { afterAll, beforeEach, describe, expect, inject, test, vi } from "vitest";
import { generateApiKey } from "#api-keys/api-key";
import { capturedLogs } from "../builders/captured-logs.ts";
import { aLambdaContext, aProxyEvent } from "../builders/proxy-event.ts";
import { aDelivery, anEndpoint, anOutboxRecord } from "../webhooks/builders.ts";
import { fires, type MathAlarm, mathAlarms, metricIds } from "./alarms.ts";
import { type MetricFilter, published } from "./metric-filter.ts";
import type { MissingPoints, Series } from "./metric-math.ts";
import { templatesIn } from "./synthesised.ts";

const VERSION = "7";

vi.hoisted(() => {
  vi.stubEnv("AWS_LAMBDA_FUNCTION_VERSION", "7");
  vi.stubEnv("AWS_REGION", "eu-west-1");
  vi.stubEnv("TABLE_NAME", "candidates");
  vi.stubEnv("EVENT_RETENTION_DAYS", "30");
  vi.stubEnv("ENVIRONMENT", "production");
  vi.stubEnv("ERASURE_REQUESTS", "accepted");
  for (const queue of ["DELIVERY", "SIDE", "RETRY", "RECOVERY", "DEAD_LETTER", "UNREADABLE_EVENTS"]) {
    vi.stubEnv(`${queue}_QUEUE_URL`, `https://sqs.eu-west-1.amazonaws.com/1/${queue}`);
  }
  vi.stubEnv("EVENT_RETENTION_DAYS", "30");
  vi.stubEnv("KEYRING_SECRET_ID", "keyring");
  vi.stubEnv("RETRY_SCHEDULE", "standard");
  vi.stubEnv("ALLOWED_WEBHOOK_NETWORKS", "");
});
afterAll(() => {
  vi.unstubAllEnvs();
});

const table = mockClient(DynamoDBDocumentClient);
const sqs = mockClient(SQSClient);
const secrets = mockClient(SecretsManagerClient);
const logs = capturedLogs();
const OUTAGE = new InternalServerError({ message: "outage", $metadata: { httpStatusCode: 500 } });

beforeEach(() => {
  for (const client of [table, sqs, secrets]) client.reset();
  table.onAnyCommand().resolves({});
  sqs.onAnyCommand().resolves({});
  secrets.onAnyCommand().resolves({ SecretString: JSON.stringify({ current: "1", "1": "generated" }) });
});

function fileOf(name: string): string {
  const [file] = globSync(`functions/*/${name}.ts`);
  if (!file) throw new Error(`There is no function ${name}.`);
  return file;
}

/** A function that is deployed gradually, and what CodeDeploy asks before it goes on. */
interface Gate {
  /** The file's in `functions/`, without its folder and ending. */
  readonly name: string;
  readonly functionName: string;
  readonly functionId: string;
  readonly versionId: string;
  readonly alarmIds: readonly string[];
  /** The one of its alarms that is its own. */
  readonly alarm: MathAlarm;
  readonly filter: MetricFilter;
}

const MISSING_POINTS: readonly MissingPoints[] = ["missing is zero", "missing is contagious"];
const gates = gatesOfProduction();

function gatesOfProduction(): Gate[] {
  const [, [, template]] = templatesIn(inject("assembly"));
  const functions = template.findResources("AWS::Lambda::Function");
  const groups = template.findResources("AWS::CodeDeploy::DeploymentGroup");
  const filters = Object.values(template.findResources("AWS::Logs::MetricFilter")).map(
    (resource) => resource["Properties"] as MetricFilter,
  );
  const alarms = mathAlarms(template);
  return Object.values(template.findResources("AWS::Lambda::Alias")).map(({ Properties, UpdatePolicy }) => {
    const functionId: string = Properties.FunctionName.Ref;
    const { FunctionName, LoggingConfig } = functions[functionId]?.["Properties"] ?? {};
    const group = groups[UpdatePolicy.CodeDeployLambdaAliasUpdate.DeploymentGroupName.Ref];
    const asked: { Name: { Ref: string } }[] = group?.["Properties"].AlarmConfiguration.Alarms;
    const alarmIds = asked.map(({ Name }) => Name.Ref);
    const [alarm] = alarms.filter(({ id }) => alarmIds.includes(id) && id.includes("Failing"));
    const [filter] = filters.filter(
      ({ LogGroupName }) => JSON.stringify(LogGroupName) === JSON.stringify(LoggingConfig.LogGroup),
    );
    if (!alarm || !filter) throw new Error(`${FunctionName} has no gate.`);
    return {
      name: FunctionName.replace("CandidateService-production-", ""),
      functionName: FunctionName,
      functionId,
      versionId: Properties.FunctionVersion["Fn::GetAtt"][0],
      alarmIds,
      alarm,
      filter,
    };
  });
}

const OWN = [
  "authorize-request",
  "publish-events",
  "deliver-webhook",
  "deliver-aside",
  "retry-webhook",
  "sweep-candidate-parts",
];
const gateOf = (name: string) => {
  const found = gates.find((gate) => gate.name === name);
  if (!found) throw new Error(`${name} has no gate.`);
  return found;
};

describe.each(gates)(
  "the deployment gate of $name",
  ({ functionId, versionId, alarm, alarmIds, filter, name }) => {
    test("is within CodeDeploy's limit of ten alarms", () => {
      expect(alarmIds.length).toBeLessThanOrEqual(10);
    });

    test("measures only the version that is deployed, in all its metrics", () => {
      const version = { Name: "ExecutedVersion", Value: { "Fn::GetAtt": [versionId, "Version"] } };
      const byId = Object.fromEntries(
        alarm.queries.flatMap(({ Id, MetricStat }) => (MetricStat ? [[Id, MetricStat]] : [])),
      );
      for (const [id, { Metric, Stat, Period }] of Object.entries(byId)) {
        expect(Metric.Dimensions, id).toContainEqual(version);
        expect(Metric.Dimensions, id).toContainEqual({ Name: "FunctionName", Value: { Ref: functionId } });
        expect({ Stat, Period }, id).toEqual({ Stat: "Sum", Period: 60 });
      }
      // Lambda's own have three dimensions where an alias routes to two versions, and all three name the metric.
      const resource = { Name: "Resource", Value: { "Fn::Join": ["", [{ Ref: functionId }, ":live"]] } };
      const lambda = Object.entries(byId).filter(([, { Metric }]) => Metric.Namespace === "AWS/Lambda");
      for (const [id, { Metric }] of lambda) {
        expect(Metric.Dimensions, id).toContainEqual(resource);
        expect(Metric.Dimensions, id).toHaveLength(3);
      }
      expect(Object.fromEntries(lambda.map(([id, { Metric }]) => [id, Metric.MetricName]))).toEqual({
        // To refuse a key is an error to Lambda.
        ...(name !== "authorize-request" && { errors: "Errors" }),
        calls: "Invocations",
      });
      const [{ MetricNamespace, MetricName, MetricValue, DefaultValue, Dimensions = [] }] =
        filter.MetricTransformations;
      expect(byId["faults"]?.Metric).toMatchObject({ Namespace: MetricNamespace, MetricName });
      expect(byId["faults"]?.Metric.Dimensions.map(({ Name }) => Name).sort()).toEqual(
        Dimensions.map(({ Key }) => Key).sort(),
      );
      // A filter with dimensions may have no default (PutMetricFilter).
      expect({ MetricValue, DefaultValue }).toEqual({ MetricValue: "1", DefaultValue: undefined });
    });

    describe.each(MISSING_POINTS)("if %s", (missingPoints) => {
      const none = Array<undefined>(5).fill(undefined);
      const minutes = (value: number) => Array<number>(5).fill(value);
      const rollsBack = (given: Readonly<Record<string, Series>>) =>
        fires(
          alarm,
          { ...(metricIds(alarm).includes("errors") && { errors: minutes(0) }), ...given },
          missingPoints,
        );

      test("rolls back at 9 % of faults from the second minute on, with any number of calls", () => {
        expect(rollsBack({ calls: minutes(100), faults: minutes(9) })).toBe(true);
        expect(rollsBack({ calls: minutes(2_000), faults: minutes(180) })).toBe(true);
        expect(rollsBack({ calls: minutes(11), faults: minutes(1) })).toBe(true);
        expect(rollsBack({ calls: [...none.slice(2), 100, 100], faults: [...none.slice(2), 9, 9] })).toBe(
          true,
        );
      });

      test("does not roll back a version without faults or without calls", () => {
        expect(rollsBack({ calls: minutes(100), faults: none })).toBe(false);
        expect(
          rollsBack({ calls: none, faults: none, ...(name !== "authorize-request" && { errors: none }) }),
        ).toBe(false);
      });

      test("does not roll back after a single fault, among thousands of calls or ten", () => {
        const once = [undefined, 1, undefined, undefined, undefined];
        expect(rollsBack({ calls: minutes(2_000), faults: once })).toBe(false);
        expect(rollsBack({ calls: minutes(10), faults: once })).toBe(false);
      });
    });
  },
);

test.each(gates.filter(({ name }) => name !== "authorize-request"))(
  "the deployment gate of $name rolls back a version that crashes before it can log",
  ({ alarm }) => {
    const minutes = (value: number) => Array<number>(5).fill(value);
    for (const missingPoints of MISSING_POINTS) {
      expect(fires(alarm, { calls: minutes(100), errors: minutes(9) }, missingPoints)).toBe(true);
    }
  },
);

test("Lambda's own log lines of a failed invocation, such as a refused key, do not count as faults", () => {
  const line = {
    timestamp: "2026-11-21T00:00:00.000Z",
    level: "ERROR",
    requestId: "00000000-0000-0000-0000-000000000000",
    message: { errorType: "Error", errorMessage: "Unauthorized", stackTrace: [] },
  };
  for (const { filter } of gates) expect(published(filter, JSON.stringify(line))).toBeUndefined();
});

describe("the fault metric of", () => {
  /** Invokes the function of a gate, and counts as its filter does. */
  async function faultsOf({ name, functionName, filter }: Gate, event: unknown) {
    const { handler } = (await import(resolve(fileOf(name)))) as { handler: Handler };
    const result = await Promise.resolve(handler(event, { ...aLambdaContext, functionName }, () => {})).catch(
      (error: unknown) => error,
    );
    const points = logs
      .lines()
      .map((line) => published(filter, line))
      .filter((dimensions) => dimensions !== undefined);
    for (const dimensions of points) {
      expect(dimensions).toEqual({ FunctionName: functionName, ExecutedVersion: VERSION });
    }
    return { result, faults: points.length };
  }

  describe.each(gates.filter(({ name }) => !OWN.includes(name)))("$name", (gate) => {
    test("counts one for a 500", async () => {
      const event = aProxyEvent({});
      event.requestContext.authorizer = null;
      await expect(faultsOf(gate, event)).resolves.toEqual({
        result: expect.objectContaining({ statusCode: 500 }),
        faults: 1,
      });
    });

    test("counts nothing for a success or a 4xx", async () => {
      const { result, faults } = await faultsOf(gate, aProxyEvent({ body: {}, id: "nobody" }));
      expect((result as { statusCode: number }).statusCode).toBeLessThan(500);
      expect(faults).toBe(0);
      expect(logs.lines()).not.toEqual([]);
    });
  });

  describe("publish-events", () => {
    /** An event of an organisation that the function has not met. */
    const stream = () => ({
      Records: [anOutboxRecord({ orgId: randomUUID() })].map(({ sequenceNumber, newImage }) => ({
        eventName: "MODIFY",
        dynamodb: { SequenceNumber: sequenceNumber, NewImage: newImage },
      })),
    });
    const reported = { batchItemFailures: [expect.anything()] };

    test("counts a batch that fails on a DynamoDB error", async () => {
      table.on(QueryCommand).rejects(OUTAGE);
      const { result, faults } = await faultsOf(gateOf("publish-events"), stream());
      expect(result).toEqual(reported);
      expect(faults).toBeGreaterThan(0);
    });

    test("counts a batch of which SQS refuses a message", async () => {
      table.on(QueryCommand).resolves({ Items: [anEndpoint()] });
      sqs.on(SendMessageBatchCommand).resolves({
        Failed: [{ Id: "0", Code: "ThrottlingException", SenderFault: false }],
        Successful: [],
      });
      const { result, faults } = await faultsOf(gateOf("publish-events"), stream());
      expect(result).toEqual(reported);
      expect(faults).toBeGreaterThan(0);
    });

    test("counts nothing if everything is published", async () => {
      table.on(QueryCommand).resolves({ Items: [anEndpoint()] });
      const { result, faults } = await faultsOf(gateOf("publish-events"), stream());
      expect({ result, faults }).toEqual({ result: { batchItemFailures: [] }, faults: 0 });
    });
  });

  describe.each(["deliver-webhook", "deliver-aside", "retry-webhook"])("%s", (name) => {
    const attributes = { ApproximateReceiveCount: "1" };
    const queued = (body: string) => ({
      Records: [
        { messageId: "message-1", eventSourceARN: "arn:aws:sqs:eu-west-1:1:queue", body, attributes },
      ],
    });

    test("counts a message that returns to the queue", async () => {
      sqs.on(SendMessageCommand).rejects(OUTAGE);
      const { result, faults } = await faultsOf(gateOf(name), queued("nonsense"));
      expect(result).toEqual({ batchItemFailures: [{ itemIdentifier: "message-1" }] });
      expect(faults).toBeGreaterThan(0);
    });

    test("counts nothing for a delivery that ends, in any status", async () => {
      const { result, faults } = await faultsOf(gateOf(name), queued(JSON.stringify(aDelivery())));
      expect({ result, faults }).toEqual({ result: { batchItemFailures: [] }, faults: 0 });
      expect(logs.text()).toContain("dropped");
    });
  });

  describe("sweep-candidate-parts", () => {
    const expired = {
      Records: [{ dynamodb: { SequenceNumber: "10", Keys: { pk: { S: "CANDIDATE#acme#1" } } } }],
    };

    test("counts a sweep that fails", async () => {
      table.on(QueryCommand).rejects(OUTAGE);
      await expect(faultsOf(gateOf("sweep-candidate-parts"), expired)).resolves.toEqual({
        result: { batchItemFailures: [{ itemIdentifier: "10" }] },
        faults: 1,
      });
    });

    test("counts nothing for a complete sweep", async () => {
      await expect(faultsOf(gateOf("sweep-candidate-parts"), expired)).resolves.toEqual({
        result: { batchItemFailures: [] },
        faults: 0,
      });
    });
  });

  describe("authorize-request", () => {
    const presenting = (key: string) => ({
      headers: { "X-API-Key": key },
      methodArn: "arn:aws:execute-api:eu-west-1:1:abc/production/GET/v1/candidates",
    });

    test("counts a key that cannot be looked up", async () => {
      table.onAnyCommand().rejects(OUTAGE);
      await expect(
        faultsOf(gateOf("authorize-request"), presenting(generateApiKey("production"))),
      ).resolves.toEqual({ result: OUTAGE, faults: 1 });
    });

    test.each([generateApiKey("production"), "nonsense"])(
      "counts no key that is refused: %s",
      async (key) => {
        await expect(faultsOf(gateOf("authorize-request"), presenting(key))).resolves.toEqual({
          result: new Error("Unauthorized"),
          faults: 0,
        });
      },
    );
  });
});
