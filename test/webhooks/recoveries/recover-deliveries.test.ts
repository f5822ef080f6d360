import { SQSClient } from "@aws-sdk/client-sqs";
import { mockClient } from "aws-sdk-client-mock";
import { expect, test } from "vitest";
import { newEndpointId } from "#contract/identifiers";
import { runtime } from "#runtime/runtime";
import { webhookEndpointsOf } from "#webhooks/endpoints/composition";
import { inspectRecovery } from "../../../functions/platform/inspect-recovery.ts";
import { recoverDeliveries } from "../../../functions/platform/recover-deliveries.ts";
import { capturedLogs } from "../../builders/captured-logs.ts";
import { aLambdaContext } from "../../builders/proxy-event.ts";
import { SimulatedStore } from "../../simulation/simulated-store.ts";

const logs = capturedLogs();

test.each([
  ["from a given time", { since: "2026-06-01T09:00:00.000Z" }, "2026-06-01T09:00:00.000Z"],
  ["of what an inactive endpoint missed", {}, "2026-06-01T11:59:00.000Z"],
])(
  "a recovery by the platform, %s, ends at the given time, has the given types only, and is logged with its id",
  async (_which, from, since) => {
    const store = new SimulatedStore();
    const { client: documentClient, now, tableName } = store;
    const sqsClient = new SQSClient({});
    mockClient(sqsClient).onAnyCommand().resolves({});
    const variables = { ...runtime.variables, TABLE_NAME: tableName };
    const dependencies = { ...runtime, now, documentClient, sqsClient, variables };
    const endpoints = webhookEndpointsOf(dependencies);
    const endpointId = newEndpointId(runtime);
    const registration = { url: "https://a.example.com", eventTypes: ["candidate.received" as const] };
    await endpoints.register("acme", endpointId, registration, "1.sealed");
    await endpoints.update("acme", endpointId, { active: false });
    store.pass(60 * 60_000);
    await endpoints.update("acme", endpointId, { active: true });
    const limits = { until: "2026-06-01T12:30:00.000Z", eventTypes: ["candidate.erased"] };

    const recovery = await recoverDeliveries(dependencies)(
      { orgId: "acme", endpointId, ...from, ...limits },
      aLambdaContext,
    );

    expect(recovery).toMatchObject({ since, ...limits });
    const about = { orgId: "acme", endpointId, recoveryId: recovery?.id };
    await inspectRecovery(dependencies)(about, aLambdaContext);
    expect(logs.lines().map((line) => JSON.parse(line))).toMatchObject([
      { message: "invocation", ...about },
      { message: "invocation", ...about },
    ]);
  },
);
