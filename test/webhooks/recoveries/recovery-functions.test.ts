import { SendMessageBatchCommand, SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import type { SQSRecord } from "aws-lambda";
import { mockClient } from "aws-sdk-client-mock";
import { beforeEach, describe, expect, test } from "vitest";
import { newEndpointId, newRecoveryId } from "#contract/identifiers";
import { runtime } from "#runtime/runtime";
import { webhookEndpointsOf } from "#webhooks/endpoints/composition";
import { eventFeedOf } from "#webhooks/feed/composition";
import {
  getRecoveryServiceOf,
  recoverServiceOf,
  startRecoveryServiceOf,
} from "#webhooks/recoveries/composition";
import { getRecovery } from "#webhooks/recoveries/get-recovery";
import { type RecoverService, recover } from "#webhooks/recoveries/recover";
import { InspectRecovery, RecoverDeliveries } from "#webhooks/recoveries/recovery-commands";
import { startRecovery } from "#webhooks/recoveries/start-recovery";
import { capturedLogs } from "../../builders/captured-logs.ts";
import { judge } from "../../contract/judge.ts";
import { SimulatedStore } from "../../simulation/simulated-store.ts";
import { anEndpointEvent, NOW } from "../builders.ts";

const HOUR = 60 * 60_000;
const VARIABLES = {
  TABLE_NAME: "candidates",
  EVENT_RETENTION_DAYS: "30",
  RECOVERY_QUEUE_URL: "https://sqs.eu-west-1.amazonaws.com/1/recoveries",
  RETRY_QUEUE_URL: "https://sqs.eu-west-1.amazonaws.com/1/retries",
};

const logs = capturedLogs();
const sqsClient = new SQSClient({ region: "eu-west-1" });
const sqs = mockClient(sqsClient);
beforeEach(() => {
  sqs.reset();
  sqs.on(SendMessageCommand).resolves({}).on(SendMessageBatchCommand).resolves({});
});

/** What the functions of a deployment work with, on a clock of its own. */
function aDeployment() {
  const store = new SimulatedStore();
  const { client: documentClient, now, tableName } = store;
  const wait = async (ms: number) => store.pass(ms);
  const variables = { ...VARIABLES, TABLE_NAME: tableName };
  return { store, dependencies: { ...runtime, now, wait, documentClient, sqsClient, variables } };
}

test("a recovery is started by one function, carried out by another, and shown by a third", async () => {
  const { store, dependencies } = aDeployment();
  const endpointId = newEndpointId(runtime);
  const registration = { url: "https://a.example.com", eventTypes: ["webhook_endpoint.disabled" as const] };
  await webhookEndpointsOf(dependencies).register("acme", endpointId, registration, "1.sealed");
  const missed = anEndpointEvent();
  // The table responds in time by the test's clock.
  const inTime = { ...dependencies, wait: () => new Promise<void>(() => {}) };
  await eventFeedOf(inTime).append("acme", [missed]);
  store.pass(HOUR);

  const since = new Date(NOW.getTime() - HOUR);
  const { id } = await startRecovery("acme", endpointId, { since }, startRecoveryServiceOf(dependencies));
  const message = sqs.commandCalls(SendMessageCommand)[0]?.args[0].input;
  const received = { body: message?.MessageBody, attributes: { ApproximateReceiveCount: "1" } };
  const hasEnded = await recover(received as unknown as SQSRecord, recoverServiceOf(dependencies));

  expect(message).toMatchObject({ QueueUrl: VARIABLES.RECOVERY_QUEUE_URL, MessageGroupId: "acme" });
  expect(hasEnded).toBe(true);
  const queued = sqs.commandCalls(SendMessageBatchCommand)[0]?.args[0].input;
  expect(queued?.QueueUrl).toBe(VARIABLES.RETRY_QUEUE_URL);
  expect(queued?.Entries?.map(({ MessageBody = "" }) => JSON.parse(MessageBody))).toMatchObject([
    { orgId: "acme", endpointId, eventId: missed.id },
  ]);
  const shown = await getRecovery("acme", endpointId, id, getRecoveryServiceOf(dependencies));
  expect(shown).toMatchObject({ id, status: "completed", found: 1, sent: 1 });
  await expect(
    getRecovery("globex", endpointId, id, getRecoveryServiceOf(dependencies)),
  ).rejects.toMatchObject({
    code: "not_found",
  });
});

test("a recovery that fails is logged with its ids and the cause", async () => {
  const { dependencies } = aDeployment();
  const recovery = { orgId: "acme", endpointId: newEndpointId(runtime), recoveryId: newRecoveryId(runtime) };
  const received = { body: JSON.stringify(recovery), attributes: { ApproximateReceiveCount: "1" } };
  const cause = new Error("The table does not respond.");
  const service = {
    ...recoverServiceOf(dependencies),
    recoveries: { find: () => Promise.reject(cause) },
  } as unknown as RecoverService;

  await expect(recover(received as unknown as SQSRecord, service)).rejects.toBe(cause);

  expect(logs.lines().map((line) => JSON.parse(line))).toMatchObject([
    { level: "ERROR", message: "recovery failed", ...recovery, cause: { message: cause.message } },
  ]);
});

test.each([
  [startRecoveryServiceOf, ["TABLE_NAME", "EVENT_RETENTION_DAYS", "RECOVERY_QUEUE_URL"]],
  [recoverServiceOf, ["TABLE_NAME", "EVENT_RETENTION_DAYS", "RETRY_QUEUE_URL"]],
  [getRecoveryServiceOf, ["TABLE_NAME"]],
] as const)("the function %o starts with its variables, and without none of them", (of, names) => {
  const { dependencies } = aDeployment();
  const startWith = (variables: object) => () => of({ ...dependencies, variables: { ...variables } });
  const all = Object.fromEntries(names.map((name) => [name, VARIABLES[name]]));

  expect(startWith(all)).not.toThrow();
  for (const name of names) {
    expect(startWith({ ...all, [name]: "" })).toThrow(new RegExp(`: ${name}\\.$`));
  }
});

describe("the platform's recovery functions", () => {
  const endpoint = { orgId: "acme", endpointId: newEndpointId(runtime) };

  test("accept a recovery to start, and one to show", () => {
    const recoveryId = newRecoveryId(runtime);

    expect(judge(RecoverDeliveries, { ...endpoint, since: NOW.toISOString() })).toEqual({
      value: { ...endpoint, since: NOW },
    });
    expect(judge(InspectRecovery, { ...endpoint, recoveryId })).toEqual({
      value: { ...endpoint, recoveryId },
    });
  });

  test("refuse what is missing or unknown, with what is expected", () => {
    expect(judge(RecoverDeliveries, { orgId: "acme", since: NOW.toISOString(), force: true })).toEqual({
      message: "force: no member of this name is expected; endpointId: a webhook endpoint's id is required",
    });
    expect(judge(InspectRecovery, endpoint)).toEqual({ message: "recoveryId: a recovery's id is required" });
  });
});
