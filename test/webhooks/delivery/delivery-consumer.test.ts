import { createServer } from "node:http";
import { InternalServerError, ThrottlingException } from "@aws-sdk/client-dynamodb";
import { GetSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { SendMessageBatchCommand, SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { DynamoDBDocumentClient, GetCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import type { SQSEvent } from "aws-lambda";
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { candidateKey } from "#candidates/store/item/candidate-key";
import { ITEM_VERSION } from "#candidates/store/item/item-version";
import { runtime } from "#runtime/runtime";
import { type Delivery, idsOf, readDelivery, withoutBody } from "#webhooks/delivery/delivery";
import { deliveryDependencies } from "#webhooks/delivery/delivery-consumer";
import { DELIVERY_METRICS } from "#webhooks/delivery/delivery-metrics";
import { deliveryRecordKey } from "#webhooks/delivery/delivery-record-key";
import { Keyring } from "#webhooks/endpoints/keyring";
import { SecretBox } from "#webhooks/endpoints/secret-box";
import { signatureOf } from "#webhooks/endpoints/signature";
import { SigningSecrets } from "#webhooks/endpoints/signing-secrets";
import type { StoredEndpoint } from "#webhooks/endpoints/stored-endpoint";
import { deliverAside } from "../../../functions/events/deliver-aside.ts";
import { deliverWebhook } from "../../../functions/events/deliver-webhook.ts";
import { retryWebhook } from "../../../functions/events/retry-webhook.ts";
import { capturedLogs } from "../../builders/captured-logs.ts";
import { listening } from "../../builders/listening.ts";
import { mockedClient } from "../../builders/mocked-client.ts";
import { aLambdaContext } from "../../builders/proxy-event.ts";
import { aDelivery, anEndpoint, anEvent } from "../builders.ts";
import { anHttpReceiver, closeReceivers } from "../receivers.ts";

const RETRIES = "https://sqs.eu-west-1.amazonaws.com/1/retries";
const SIDE = "https://sqs.eu-west-1.amazonaws.com/1/side";
const DEAD_LETTERS = "https://sqs.eu-west-1.amazonaws.com/1/dead-letters";
/** The candidate that the builders' events are about. */
const CANDIDATE = candidateKey("acme", "0".repeat(26));
const DUE = "2020-01-01T00:00:00.000Z";

vi.hoisted(() => {
  vi.stubEnv("POWERTOOLS_METRICS_DISABLED", "false");
  vi.stubEnv("POWERTOOLS_METRICS_NAMESPACE", "the-stack");
  vi.stubEnv("POWERTOOLS_SERVICE_NAME", "the-service");
  vi.stubEnv("ALLOWED_WEBHOOK_NETWORKS", "127.0.0.0/8");
});

const table = mockedClient(DynamoDBDocumentClient);
const sqs = mockedClient(SQSClient);
const secrets = mockedClient(SecretsManagerClient);
const logs = capturedLogs();

const THROTTLED = new ThrottlingException({ message: "Rate exceeded", $metadata: { httpStatusCode: 400 } });
const OUTAGE = new InternalServerError({ message: "outage", $metadata: { httpStatusCode: 500 } });

beforeEach(() => {
  for (const client of [table, sqs, secrets]) client.reset();
  table.on(UpdateCommand).resolves({ Attributes: anEndpoint() });
  table.on(GetCommand).resolves({});
  table
    .on(GetCommand, { Key: CANDIDATE })
    .resolves({ Item: { itemVersion: ITEM_VERSION, status: "received", firstSequence: 1 } });
  sqs.on(SendMessageCommand).resolves({});
  sqs.on(SendMessageBatchCommand).resolves({});
  secrets
    .on(GetSecretValueCommand)
    .resolves({ SecretString: JSON.stringify({ current: "1", "1": "generated" }) });
});
afterEach(closeReceivers);
afterAll(() => {
  vi.unstubAllEnvs();
});

const messagesTo = (url: string) => [
  ...sqs.commandCalls(SendMessageCommand, { QueueUrl: url }).map(({ args: [{ input }] }) => input),
  ...sqs
    .commandCalls(SendMessageBatchCommand, { QueueUrl: url })
    .flatMap(({ args: [{ input }] }) => input.Entries ?? []),
];
const sentTo = (url: string) => messagesTo(url).map(({ MessageBody = "" }) => MessageBody);

/** The metrics of the batch below, in which no delivery fails for good and no attempt is cut. */
const { ReleaseDelay: _, DeliveriesFailed: _failed, AttemptsCut: _cut, ...ofDeliveries } = DELIVERY_METRICS;

describe("deliver-webhook, deliver-aside and retry-webhook", () => {
  const deliverers = { deliveries: deliverWebhook, side: deliverAside, retries: retryWebhook };

  const invoke = (...messages: (Delivery | string)[]) => invokeBy("deliveries", messages);

  type Queue = keyof typeof deliverers;

  const aBatch = (queue: Queue, messages: (Delivery | string)[], ApproximateReceiveCount = "1") =>
    ({
      Records: messages.map((message, index) => ({
        messageId: `message-${index}`,
        eventSourceARN: `arn:aws:sqs:eu-west-1:1:${queue}`,
        attributes: { ApproximateReceiveCount },
        body: typeof message === "string" ? message : JSON.stringify(message),
      })),
    }) as unknown as SQSEvent;

  const invokeBy = async (queue: Queue, messages: (Delivery | string)[], receiveCount?: string) => {
    return deliverers[queue](deliveryDependencies(runtime))(
      aBatch(queue, messages, receiveCount),
      aLambdaContext,
    );
  };

  /** An endpoint in the table, with a signing secret sealed by the keyring. */
  async function registered(url: string, overrides: Partial<StoredEndpoint> = {}) {
    const endpoint = anEndpoint({ url, ...overrides });
    const keyring = new Keyring(new SecretsManagerClient({ region: "eu-west-1" }), "keyring", runtime.now);
    const box = new SecretBox(keyring, runtime.randomBytes);
    const { signingSecret, sealedSecret } = await new SigningSecrets(box, runtime).issue("acme", endpoint.id);
    table
      .on(GetCommand, { Key: { pk: "ENDPOINTS#acme", sk: `ENDPOINT#${endpoint.id}` } })
      .resolves({ Item: { ...endpoint, sealedSecret } });
    return { endpoint, signingSecret };
  }

  type Registered = Awaited<ReturnType<typeof registered>>;

  const nothingFailed = { batchItemFailures: [] };

  test("reads an endpoint once for all messages of a batch", async () => {
    const receiver = await anHttpReceiver();
    const { endpoint } = await registered(`http://127.0.0.1:${receiver.port}/`);
    const other = await registered(`http://127.0.0.1:${receiver.port}/`);
    const batch = [endpoint, endpoint, other.endpoint, endpoint].map(({ id }) =>
      aDelivery({
        endpointId: id,
        dueAt: DUE,
        body: JSON.stringify(anEvent({ occurredAt: new Date().toISOString() })),
      }),
    );

    await expect(invoke(...batch)).resolves.toEqual(nothingFailed);

    expect(receiver.requests).toHaveLength(4);
    const read = table.commandCalls(GetCommand).map(({ args: [{ input }] }) => input.Key?.["sk"]);
    expect(read).toEqual([`ENDPOINT#${endpoint.id}`, "ENDPOINTS", `ENDPOINT#${other.endpoint.id}`]);
  });

  test("sends due deliveries, signed with the endpoint's own secret", async () => {
    const receiver = await anHttpReceiver();
    const { endpoint, signingSecret } = await registered(`http://127.0.0.1:${receiver.port}/`);
    const delivery = aDelivery({ endpointId: endpoint.id, dueAt: DUE });

    await expect(invoke(delivery)).resolves.toEqual(nothingFailed);

    expect(receiver.requests).toHaveLength(1);
    expect(receiver.requests[0]?.headers["X-RR-Signature"]).toBe(signatureOf(delivery.body, signingSecret));
    expect(sqs.calls()).toHaveLength(0);
  });

  test.each([
    ["the side queue if it is soon", 1, SIDE, 4, 6],
    ["the retry queue if it is later", 2, RETRIES, 48, 72],
  ])("sends a retry to %s, to arrive when it is due", async (_which, attempt, url, earliest, latest) => {
    const receiver = await anHttpReceiver(() => ({ status: 500 }));
    const { endpoint } = await registered(`http://127.0.0.1:${receiver.port}/`);

    const response = await invokeBy("side", [aDelivery({ endpointId: endpoint.id, dueAt: DUE, attempt })]);

    expect(response).toEqual(nothingFailed);
    const [retry] = messagesTo(url);
    expect(retry?.DelaySeconds).toBeGreaterThanOrEqual(earliest);
    expect(retry?.DelaySeconds).toBeLessThanOrEqual(latest);
    expect(readDelivery(retry?.MessageBody ?? "")?.attempt).toBe(attempt + 1);
  });

  test("repeats an attempt by the schedule of its environment", async () => {
    const receiver = await anHttpReceiver(() => ({ status: 500 }));
    const { endpoint } = await registered(`http://127.0.0.1:${receiver.port}/`);
    const variables = { ...runtime.variables, RETRY_SCHEDULE: "practice" };
    const practising = deliverAside(deliveryDependencies({ ...runtime, variables }));

    await practising(
      aBatch("side", [aDelivery({ endpointId: endpoint.id, dueAt: DUE, attempt: 3 })]),
      aLambdaContext,
    );

    expect(messagesTo(SIDE)).toMatchObject([{ DelaySeconds: expect.toSatisfy((wait) => wait <= 5) }]);
  });

  test.each([
    ["slow", { slowSince: DUE }, "retries", RETRIES],
    ["failing", { failingSince: DUE }, "side", SIDE],
    ["suspected", { suspectedSince: DUE }, "side", SIDE],
  ] as const)(
    "attempts deliveries to a %s endpoint only from its own queue, and moves them there",
    async (_what, health, queue, url) => {
      const receiver = await anHttpReceiver();
      const { endpoint } = await registered(`http://127.0.0.1:${receiver.port}/`, health);
      const delivery = aDelivery({ endpointId: endpoint.id, dueAt: DUE });

      await expect(invokeBy("deliveries", [delivery])).resolves.toEqual(nothingFailed);
      expect(receiver.requests).toHaveLength(0);
      expect(sentTo(url).map((message) => readDelivery(message))).toEqual([withoutBody(delivery)]);

      await expect(invokeBy(queue, [delivery])).resolves.toEqual(nothingFailed);
      expect(receiver.requests).toHaveLength(1);
    },
  );

  test.each([
    ["deliveries", {}, 1],
    ["side", { probationSince: DUE }, 2],
  ] as const)(
    "keeps the endpoint of a batch by %s for the next one only if its health is covered by a version",
    async (queue, health, reads) => {
      const receiver = await anHttpReceiver();
      const { endpoint } = await registered(`http://127.0.0.1:${receiver.port}/`, { ...health, version: 1 });
      table
        .on(GetCommand, { Key: { pk: "ENDPOINTS#acme", sk: "ENDPOINTS" } })
        .resolves({ Item: { endpoints: 1, [endpoint.id]: 1 } });
      const handler = deliverers[queue](deliveryDependencies(runtime));

      for (let batch = 0; batch < 2; batch++) {
        const body = JSON.stringify(anEvent({ occurredAt: new Date().toISOString() }));
        const delivery = aDelivery({ endpointId: endpoint.id, dueAt: DUE, body });
        await handler(aBatch(queue, [delivery]), aLambdaContext);
      }

      expect(receiver.requests).toHaveLength(2);
      const keys = table.commandCalls(GetCommand).map(({ args: [{ input }] }) => input.Key?.["sk"]);
      expect(keys.filter((key) => key === `ENDPOINT#${endpoint.id}`)).toHaveLength(reads);
    },
  );

  test("knows the side queue where deliveries move to it: in deliver-webhook and deliver-aside", () => {
    const variables = { ...runtime.variables, SIDE_QUEUE_URL: undefined };
    const dependencies = deliveryDependencies({ ...runtime, variables });

    expect(() => deliverers.retries(dependencies)).not.toThrow();
    expect(() => deliverers.side(dependencies)).toThrow(/SIDE_QUEUE_URL/);
    expect(() => deliverers.deliveries(dependencies)).toThrow(/SIDE_QUEUE_URL/);
  });

  test("attempts nothing from the side queue at a slow endpoint", async () => {
    const receiver = await anHttpReceiver();
    const { endpoint } = await registered(`http://127.0.0.1:${receiver.port}/`, { slowSince: DUE });
    const delivery = aDelivery({ endpointId: endpoint.id, dueAt: DUE });

    await expect(invokeBy("side", [delivery])).resolves.toEqual(nothingFailed);

    expect(receiver.requests).toHaveLength(0);
    expect(sentTo(RETRIES).map((message) => readDelivery(message))).toEqual([withoutBody(delivery)]);
  });

  test("sends a delivery that exhausted its retries to the dead-letter queue", async () => {
    const receiver = await anHttpReceiver(() => ({ status: 500 }));
    const { endpoint } = await registered(`http://127.0.0.1:${receiver.port}/`);

    await invoke(aDelivery({ endpointId: endpoint.id, dueAt: DUE, attempt: 11 }));

    expect(sentTo(DEAD_LETTERS)).toHaveLength(1);
    expect(sentTo(RETRIES)).toHaveLength(0);
  });

  test("drops a redriven event of a candidate erased in the meantime", async () => {
    const receiver = await anHttpReceiver();
    const { endpoint } = await registered(`http://127.0.0.1:${receiver.port}/`);
    table
      .on(GetCommand, { Key: CANDIDATE, ConsistentRead: true })
      .resolves({ Item: { itemVersion: ITEM_VERSION, status: "erased", firstSequence: 1 } });
    const delivery = aDelivery({ endpointId: endpoint.id, dueAt: DUE, resentAt: DUE });

    await expect(invokeBy("retries", [delivery])).resolves.toEqual(nothingFailed);

    expect(receiver.requests).toHaveLength(0);
    expect(sqs.calls()).toHaveLength(0);
    expect(table.commandCalls(UpdateCommand)[0]?.args[0].input).toMatchObject({
      Key: deliveryRecordKey(endpoint.id, delivery.eventId),
      ExpressionAttributeValues: { ":status": "dropped", ":reason": "candidate_erased" },
    });
  });

  test.each(["", "nonsense", "{}", JSON.stringify({ ...aDelivery(), attempt: "one" })])(
    "parks a message that is not a delivery, unchanged: %s",
    async (message) => {
      await expect(invoke(message)).resolves.toEqual(nothingFailed);

      expect(sentTo(DEAD_LETTERS)).toEqual([message]);
      expect(table.calls()).toHaveLength(0);
    },
  );

  test("dead-letters and records a delivery at its twenty-first receive, before SQS would", async () => {
    const receiver = await anHttpReceiver();
    const { endpoint } = await registered(`http://127.0.0.1:${receiver.port}/`);
    const delivery = aDelivery({ endpointId: endpoint.id, dueAt: DUE, attempt: 3 });

    await expect(invokeBy("retries", [delivery], "21")).resolves.toEqual(nothingFailed);

    expect(receiver.requests).toHaveLength(0);
    expect(sentTo(DEAD_LETTERS).map((message) => readDelivery(message)?.eventId)).toEqual([delivery.eventId]);
    expect(table.commandCalls(UpdateCommand)[0]?.args[0].input).toMatchObject({
      Key: deliveryRecordKey(endpoint.id, delivery.eventId),
      ExpressionAttributeValues: { ":status": "failed" },
    });
  });

  test("attempts a delivery at its twentieth receive", async () => {
    const receiver = await anHttpReceiver();
    const { endpoint } = await registered(`http://127.0.0.1:${receiver.port}/`);

    await invokeBy("retries", [aDelivery({ endpointId: endpoint.id, dueAt: DUE })], "20");

    expect(receiver.requests).toHaveLength(1);
    expect(sentTo(DEAD_LETTERS)).toEqual([]);
  });

  test("sends each queue message only once, because one with a lost response may have arrived", async () => {
    const receiver = await anHttpReceiver(() => ({ status: 500 }));
    const { endpoint } = await registered(`http://127.0.0.1:${receiver.port}/`);

    await invoke(
      aDelivery({ endpointId: endpoint.id, dueAt: DUE }),
      aDelivery({ endpointId: endpoint.id, dueAt: DUE, attempt: 11 }),
    );

    const senders = sqs.calls().map(({ thisValue }) => thisValue as SQSClient);
    expect(senders).toHaveLength(2);
    for (const { config } of senders) {
      expect(await config.maxAttempts()).toBe(1);
    }
  });

  test("drops a duplicate of a recorded attempt and measures nothing", async () => {
    const receiver = await anHttpReceiver();
    const { endpoint } = await registered(`http://127.0.0.1:${receiver.port}/`);
    const delivery = aDelivery({ endpointId: endpoint.id, dueAt: DUE, attempt: 2 });
    const { orgId, endpointId, eventId, eventType } = delivery;
    const attempts = [{ attempt: 2, at: DUE, durationMs: 1, statusCode: 500 }];
    table.on(GetCommand, { Key: deliveryRecordKey(endpointId, eventId) }).resolves({
      Item: { orgId, endpointId, eventId, eventType, status: "pending", attempts, event: delivery.body },
    });

    await expect(invokeBy("retries", [delivery])).resolves.toEqual(nothingFailed);

    expect(receiver.requests).toHaveLength(0);
    expect(sqs.calls()).toHaveLength(0);
    expect(logs.text()).not.toContain("_aws");
  });

  test("reports a message that can be neither read nor parked", async () => {
    sqs.on(SendMessageCommand).rejects(new Error("outage"));

    await expect(invoke("nonsense")).resolves.toEqual({
      batchItemFailures: [{ itemIdentifier: "message-0" }],
    });
  });

  test("reports only the messages whose table, keyring or queue fails", async () => {
    const receiver = await anHttpReceiver(() => ({ status: 500 }));
    const { endpoint: fine } = await registered(`http://127.0.0.1:${receiver.port}/`);
    const { endpoint: throttled } = await registered(`http://127.0.0.1:${receiver.port}/`);
    const { endpoint: sealedElsewhere } = await registered(`http://127.0.0.1:${receiver.port}/`);
    table
      .on(GetCommand, { Key: { pk: "ENDPOINTS#acme", sk: `ENDPOINT#${throttled.id}` } })
      .rejects(THROTTLED);
    table
      .on(GetCommand, { Key: { pk: "ENDPOINTS#acme", sk: `ENDPOINT#${sealedElsewhere.id}` } })
      .resolves({ Item: { ...sealedElsewhere, sealedSecret: "9.AAAA" } });

    const first = aDelivery({ endpointId: throttled.id, dueAt: DUE });
    const second = aDelivery({ endpointId: sealedElsewhere.id, dueAt: DUE });
    const response = await invoke(aDelivery({ endpointId: fine.id, dueAt: DUE }), first, "nonsense", second);

    expect(response).toEqual({
      batchItemFailures: [{ itemIdentifier: "message-1" }, { itemIdentifier: "message-3" }],
    });
    expect(sentTo(SIDE)).toHaveLength(1);
    expect(sentTo(DEAD_LETTERS)).toEqual(["nonsense"]);
    const lines = logs.lines().map((line) => JSON.parse(line));
    const failed = lines.filter(({ message }) => message === "delivery failed");
    expect(failed).toMatchObject([
      { messageId: "message-1", ...idsOf(first), cause: { name: "ThrottlingException" } },
      { messageId: "message-3", ...idsOf(second), cause: { name: "UnopenableSecret" } },
    ]);
    expect(JSON.stringify(failed)).not.toMatch(/ext-1|127\.0\.0\.1/);
  });

  test("reports a message whose retry cannot be queued", async () => {
    const receiver = await anHttpReceiver(() => ({ status: 500 }));
    const { endpoint } = await registered(`http://127.0.0.1:${receiver.port}/`);
    sqs.on(SendMessageBatchCommand, { QueueUrl: SIDE }).rejects(new Error("throttled"));

    await expect(invoke(aDelivery({ endpointId: endpoint.id, dueAt: DUE }))).resolves.toEqual({
      batchItemFailures: [{ itemIdentifier: "message-0" }],
    });
  });

  test("moves what belongs in another queue with one request for the whole batch, and reports what that queue refuses", async () => {
    const { endpoint } = await registered("https://receiver.example.com/", { slowSince: DUE });
    const batch = Array.from({ length: 10 }, () => aDelivery({ endpointId: endpoint.id, dueAt: DUE }));
    sqs
      .on(SendMessageBatchCommand, { QueueUrl: RETRIES })
      .resolves({ Failed: [{ Id: "3", Code: "InternalError", SenderFault: false }] });

    await expect(invoke(...batch)).resolves.toEqual({
      batchItemFailures: [{ itemIdentifier: "message-3" }],
    });

    expect(sqs.calls()).toHaveLength(1);
    expect(sentTo(RETRIES).map((message) => readDelivery(message)?.eventId)).toEqual(
      batch.map(({ eventId }) => eventId),
    );
  });

  test("repeats nothing if only the delivery log cannot be written", async () => {
    const receiver = await anHttpReceiver();
    const { endpoint } = await registered(`http://127.0.0.1:${receiver.port}/`);
    table.on(UpdateCommand).rejects(OUTAGE);

    await expect(invoke(aDelivery({ endpointId: endpoint.id, dueAt: DUE }))).resolves.toEqual(nothingFailed);
    expect(logs.text()).toContain("delivery not recorded");
  });

  describe("measures", () => {
    /** The metrics of the invocations so far, in CloudWatch's embedded metric format. */
    const embedded = () =>
      logs
        .text()
        .split("\n")
        .filter((line) => line.startsWith('{"_aws"'))
        .map((line) => JSON.parse(line));

    test("the outcome of each delivery of a batch, in one namespace and dimension", async () => {
      const well = await anHttpReceiver();
      const ill = await anHttpReceiver(() => ({ status: 500 }));
      const gone = await anHttpReceiver(() => ({ status: 410 }));
      const [{ endpoint: first }, { endpoint: second }, { endpoint: third }] = (await Promise.all(
        [well, ill, gone].map(({ port }) => registered(`http://127.0.0.1:${port}/`)),
      )) as [Registered, Registered, Registered];
      sqs.on(SendMessageCommand, { QueueUrl: DEAD_LETTERS }).rejects(OUTAGE);

      await invoke(
        aDelivery({ endpointId: first.id, dueAt: DUE }),
        aDelivery({ endpointId: second.id, dueAt: DUE, attempt: 2 }),
        aDelivery({ endpointId: third.id, dueAt: DUE }),
        "nonsense",
      );

      expect(embedded()).toHaveLength(1);
      const [{ _aws, service, ...values }] = embedded();
      const [{ Namespace, Dimensions, Metrics }] = _aws.CloudWatchMetrics;
      expect({ Namespace, Dimensions, service }).toEqual({
        Namespace: "the-stack",
        Dimensions: [["service"]],
        service: "the-service",
      });
      expect(
        Object.fromEntries(Metrics.map(({ Name, Unit }: Record<string, string>) => [Name, Unit])),
      ).toEqual(ofDeliveries);
      const sum = (name: string) => [values[name]].flat().reduce((total, value) => total + value, 0);
      expect(Object.fromEntries(Object.keys(ofDeliveries).map((name) => [name, sum(name)]))).toMatchObject({
        DeliveriesDelivered: 1,
        DeliveriesDropped: 1,
        AttemptsFailed: 2,
        AttemptsPerDelivery: 2,
        EndpointsSetInactive: 1,
        DeliveryFaults: 1,
      });
    });

    test("nothing if nothing was delivered, and writes no metric line", async () => {
      await invoke("nonsense");

      expect(logs.lines()).toEqual([expect.stringContaining("unreadable delivery")]);
    });
  });

  test("handles a batch concurrently: a slow receiver delays no other", async () => {
    const order: string[] = [];
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const quick = await anHttpReceiver(() => {
      order.push("quick");
      release();
      return {};
    });
    const slow = createServer(async (request, response) => {
      request.resume();
      await released;
      order.push("slow");
      response.writeHead(204).end();
    });
    const { endpoint: first } = await registered(`${await listening(slow)}/`);
    const { endpoint: second } = await registered(`http://127.0.0.1:${quick.port}/`);

    await invoke(
      aDelivery({ endpointId: first.id, dueAt: DUE }),
      aDelivery({ endpointId: second.id, dueAt: DUE }),
    );

    expect(order).toEqual(["quick", "slow"]);
  });
});
