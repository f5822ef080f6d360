import { SQSClient } from "@aws-sdk/client-sqs";
import type { ScheduledEvent } from "aws-lambda";
import { mockClient } from "aws-sdk-client-mock";
import { afterAll, expect, test, vi } from "vitest";
import { runtime } from "#runtime/runtime";
import { releaseDeliveries } from "../../../functions/events/release-deliveries.ts";
import { capturedLogs } from "../../builders/captured-logs.ts";
import { aLambdaContext } from "../../builders/proxy-event.ts";
import { SimulatedStore } from "../../simulation/simulated-store.ts";

vi.hoisted(() => {
  vi.stubEnv("POWERTOOLS_METRICS_DISABLED", "false");
  vi.stubEnv("POWERTOOLS_METRICS_NAMESPACE", "the-stack");
  vi.stubEnv("POWERTOOLS_SERVICE_NAME", "the-service");
});
afterAll(() => {
  vi.unstubAllEnvs();
});

const sqsClient = new SQSClient({});
const sqs = mockClient(sqsClient);
const logs = capturedLogs();

// The alarm on this metric fires without data too: it must not take an empty table for a release that has stopped.
test("release-deliveries measures no delay if no delivery waits", async () => {
  const { client: documentClient, now, tableName } = new SimulatedStore();
  const variables = { ...runtime.variables, TABLE_NAME: tableName };
  const handler = releaseDeliveries({ ...runtime, now, variables, documentClient, sqsClient });

  await handler({} as ScheduledEvent, aLambdaContext);

  const measured = logs.lines().filter((line) => line.includes("_aws"));
  expect(measured.map((line) => JSON.parse(line))).toEqual([expect.objectContaining({ ReleaseDelay: 0 })]);
  expect(sqs.calls()).toEqual([]);
});
