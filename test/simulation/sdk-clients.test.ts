import { createHook } from "node:async_hooks";
import {
  ConditionalCheckFailedException,
  DynamoDBServiceException,
  TransactionCanceledException,
} from "@aws-sdk/client-dynamodb";
import {
  GetRecordsCommand,
  GetShardIteratorCommand,
  TrimmedDataAccessException,
} from "@aws-sdk/client-dynamodb-streams";
import {
  GetSecretValueCommand,
  PutSecretValueCommand,
  ResourceNotFoundException,
  UpdateSecretVersionStageCommand,
} from "@aws-sdk/client-secrets-manager";
import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  PurgeQueueCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
} from "@aws-sdk/client-sqs";
import {
  DeleteCommand,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import pRetry from "p-retry";
import { expect, test } from "vitest";
import { ApiKeyRepository } from "#api-keys/api-key-repository";
import { transition } from "#candidates/change";
import { canonicalIdOf, digestOf, parseHandle, stagedIdOf } from "#candidates/handles";
import { CandidateReader } from "#candidates/store/candidate-reader";
import { CandidateRepository } from "#candidates/store/candidate-repository";
import { CandidateSubmission } from "#contract/candidate-submission";
import { newEndpointId } from "#contract/identifiers";
import { clientDefaults } from "#runtime/client-defaults";
import { readFailedBatch } from "#runtime/failed-batch";
import { onceOnly } from "#runtime/once-only";
import { runtime } from "#runtime/runtime";
import { DeliveryLog } from "#webhooks/delivery/delivery-log";
import { SealedSecretRepository } from "#webhooks/endpoints/sealed-secret-repository";
import { WebhookEndpointRepository } from "#webhooks/endpoints/webhook-endpoint-repository";
import { plainClients } from "../../tools/simulation/aws/clients.ts";
import { NETWORK_FAULTS } from "../../tools/simulation/aws/network.ts";
import { sdkClients } from "../../tools/simulation/aws/sdk-clients.ts";
import { serviceTable } from "../../tools/simulation/dynamodb/service-table.ts";
import { ACME } from "../builders/organisation.ts";
import { aFullSubmission, documentsOf } from "../builders/submission.ts";
import { aDelivery } from "../webhooks/builders.ts";
import { BEGINNING, QUEUE_URL, SimulatedAws } from "./clients.ts";

const TableName = serviceTable.name;
const TRACE_HEADER = "Root=1-00000000-000000000000000000000000";
const DAY = 86_400_000;

const KEY = { pk: "p", sk: "s" };
const BYTES = new Uint8Array([0, 1, 254, 255]);
/** A value of each kind, with attributes that are called as kinds are. */
const ITEM = {
  ...KEY,
  B: "text",
  bytes: BYTES,
  nested: { B: BYTES, BS: [BYTES, { B: BYTES }], none: null, no: false },
  sets: [new Set(["one"]), new Set([1, 2]), new Set([BYTES])],
  number: 1.5,
  gone: { entirely: undefined },
};

const update = (aws: SimulatedAws) =>
  aws.clients.documentClient.send(
    new UpdateCommand({
      TableName,
      Key: KEY,
      UpdateExpression: "ADD #B :one",
      ExpressionAttributeNames: { "#B": "count" },
      ExpressionAttributeValues: { ":one": 1, ":unused": undefined },
      ReturnValues: "ALL_NEW",
    }),
  );
const put = (aws: SimulatedAws, Item: Record<string, unknown>) =>
  aws.clients.documentClient.send(
    new PutCommand({
      TableName,
      Item,
      ConditionExpression: "attribute_not_exists(pk)",
      ReturnValuesOnConditionCheckFailure: "ALL_OLD",
    }),
  );

/** The same work with the SDK's clients and with the plain ones. */
async function both<Result>(work: (aws: SimulatedAws) => Promise<Result>) {
  const [sdk, plain] = [new SimulatedAws(sdkClients), new SimulatedAws(plainClients)];
  return {
    sdk: await sdk.during(() => work(sdk)),
    plain: await plain.during(() => work(plain)),
  };
}

/** What a call returns, without what the network says of it, or what its error has. */
async function outcomeOf(call: () => Promise<object>): Promise<object> {
  try {
    const { $metadata, ...output } = (await call()) as { $metadata?: object };
    return output;
  } catch (error) {
    const { name, message, $fault, $metadata, ...members } = error as DynamoDBServiceException & {
      __type?: string;
      Error?: object;
    };
    // The type as it was sent, and a place for what SQS adds to its errors for older SDKs.
    delete members.__type;
    delete members.Error;
    const { httpStatusCode, attempts } = $metadata;
    return { name, message, $fault, httpStatusCode, attempts, members };
  }
}

// The first of its process: the SDK reads its configuration files once.
test("in the simulation, the SDK's clients read no file and open no connection", async () => {
  const aws = new SimulatedAws(sdkClients);
  const opened: string[] = [];
  const hook = createHook({
    init: (_id, type) => /^(FS|TCP|TLS|PIPE|GETADDRINFO)/.test(type) && opened.push(type),
  }).enable();

  const outcomes = await aws.during(async () => {
    const { clients } = aws;
    return [
      await update(aws),
      await clients.sqsClient.send(new ReceiveMessageCommand({ QueueUrl: QUEUE_URL })),
      await clients.sendOnceClient.send(new ReceiveMessageCommand({ QueueUrl: QUEUE_URL })),
      await clients.secretsManagerClient.send(new GetSecretValueCommand({ SecretId: "secret" })),
      await clients.streams.send(new GetRecordsCommand({ ShardIterator: oldestOf(aws) })),
    ];
  });
  hook.disable();

  expect(outcomes).toHaveLength(5);
  expect(opened).toEqual([]);
});

function oldestOf({ table, clock }: SimulatedAws): string {
  return `${table.shards[0]?.shardId} 0 ${clock.now()}`;
}

test("in the simulation, repositories behave the same with SDK clients as with plain ones", async () => {
  const submission = CandidateSubmission.parse(
    aFullSubmission({ externalId: "ext-1", documents: documentsOf(1_000_000) }),
  );
  const endpointId = newEndpointId(runtime);

  const { sdk, plain } = await both(async (aws) => {
    const { documentClient } = aws.clients;
    const { runtime } = aws.environment;
    const candidates = new CandidateRepository(documentClient, TableName, runtime);
    const reader = new CandidateReader(documentClient, TableName, runtime);
    const digest = digestOf(ACME, "ext-1");
    const staged = parseHandle(stagedIdOf(digest));
    const canonical = parseHandle(canonicalIdOf(digest));
    const results: unknown[] = [];
    results.push(await candidates.receive(ACME, submission));
    results.push(await candidates.receive(ACME, submission));
    results.push(await reader.find("acme", canonical).catch(({ code }) => code));
    results.push(await candidates.change("acme", staged, transition("promote")));
    results.push(await candidates.amend("acme", canonical, { headline: "New", summary: null }, {}));
    results.push(await reader.find("acme", canonical));
    results.push(await candidates.change("acme", staged, transition("erase")));

    const endpoints = new WebhookEndpointRepository(documentClient, TableName, runtime.now);
    const secrets = new SealedSecretRepository(documentClient, TableName, runtime.now);
    const registration = { url: "https://a.example.com", eventTypes: ["candidate.received" as const] };
    await endpoints.register("acme", endpointId, registration, "1.sealed");
    results.push(await secrets.rotate("acme", endpointId, "2.sealed"));
    results.push(await endpoints.list("acme"));
    results.push(await Array.fromAsync(secrets.sealedWith("1")));

    const log = new DeliveryLog(documentClient, TableName, runtime.now);
    const delivery = aDelivery({ endpointId, eventId: "event" });
    const lastAttempt = { attempt: 1, at: runtime.now().toISOString(), durationMs: 12, statusCode: 204 };
    await log.record(delivery, { status: "delivered", lastAttempt });
    results.push(await log.list(endpointId, { limit: 3 }));

    const keys = new ApiKeyRepository(documentClient, TableName, "development", runtime.now);
    await keys.issue({ orgId: "acme", newOrganisation: true, name: "first" });
    results.push((await keys.list("acme")).map(({ name }) => name));
    await aws.clock.delay(31 * DAY);
    results.push(aws.table.removeExpired());
    return { results, requests: aws.attempts.map(({ service, action }) => `${service} ${action}`) };
  });

  expect(sdk).toEqual(plain);
  expect(sdk).toMatchObject({ results: expect.arrayContaining(["not_found", ["first"]]) });
});

const REQUESTS: Record<string, (aws: SimulatedAws) => Promise<object>> = {
  "a put": (aws) => put(aws, { pk: "other", sk: "s", gone: undefined }),
  "a condition that fails, with the item": (aws) => put(aws, ITEM),
  "a get": ({ clients }) => clients.documentClient.send(new GetCommand({ TableName, Key: KEY })),
  "a get of nothing": ({ clients }) =>
    clients.documentClient.send(new GetCommand({ TableName, Key: { pk: "no", sk: "s" } })),
  "an update": update,
  "a delete": ({ clients }) =>
    clients.documentClient.send(new DeleteCommand({ TableName, Key: KEY, ReturnValues: "ALL_OLD" })),
  "a query of a page": ({ clients }) =>
    clients.documentClient.send(
      new QueryCommand({
        TableName,
        KeyConditionExpression: "pk = :pk",
        ExpressionAttributeValues: { ":pk": "p" },
        ExclusiveStartKey: { pk: "p", sk: "a" },
        Limit: 1,
      }),
    ),
  "an expression that does not parse": ({ clients }) =>
    clients.documentClient.send(new UpdateCommand({ TableName, Key: KEY, UpdateExpression: "SET" })),
  "a table that there is not": ({ clients }) =>
    clients.documentClient.send(new GetCommand({ TableName: "Other", Key: KEY })),
  "a transaction": ({ clients }) =>
    clients.documentClient.send(
      new TransactWriteCommand({ TransactItems: [{ Put: { TableName, Item: { ...ITEM, pk: "new" } } }] }),
    ),
  "a transaction that is cancelled": ({ clients }) =>
    clients.documentClient.send(
      new TransactWriteCommand({
        TransactItems: [
          { Put: { TableName, Item: { ...ITEM, pk: "new" } } },
          {
            ConditionCheck: {
              TableName,
              Key: KEY,
              ConditionExpression: "bytes = :other",
              ExpressionAttributeValues: { ":other": new Uint8Array([9]) },
              ReturnValuesOnConditionCheckFailure: "ALL_OLD",
            },
          },
        ],
      }),
    ),
  "a message": ({ clients }) =>
    clients.sqsClient.send(
      new SendMessageCommand({
        QueueUrl: QUEUE_URL,
        MessageBody: "é",
        DelaySeconds: 900,
        MessageGroupId: "g",
      }),
    ),
  "a message that is sent once": ({ clients }) =>
    clients.sendOnceClient.send(new SendMessageCommand({ QueueUrl: QUEUE_URL, MessageBody: "two" })),
  "a batch with an entry that is refused": ({ clients }) =>
    clients.sqsClient.send(
      new SendMessageBatchCommand({
        QueueUrl: QUEUE_URL,
        Entries: [
          { Id: "1", MessageBody: "one" },
          { Id: "2", MessageBody: "\u0000" },
        ],
      }),
    ),
  "a queue that there is not": ({ clients }) =>
    clients.sqsClient.send(new ReceiveMessageCommand({ QueueUrl: `${QUEUE_URL}s` })),
  "a receive of nothing": ({ clients }) =>
    clients.sqsClient.send(new ReceiveMessageCommand({ QueueUrl: QUEUE_URL })),
  "a secret": ({ clients }) =>
    clients.secretsManagerClient.send(new GetSecretValueCommand({ SecretId: "secret" })),
  "another value of a secret": ({ clients }) =>
    clients.secretsManagerClient.send(new PutSecretValueCommand({ SecretId: "secret", SecretString: "two" })),
  "a value that becomes the current one": async ({ clients: { secretsManagerClient } }) => {
    const put = new PutSecretValueCommand({
      SecretId: "secret",
      SecretString: "two",
      VersionStages: ["AWSPENDING"],
    });
    const { VersionId } = await secretsManagerClient.send(put);
    const move = { SecretId: "secret", VersionStage: "AWSCURRENT", MoveToVersionId: VersionId };
    await secretsManagerClient.send(
      new UpdateSecretVersionStageCommand({ ...move, RemoveFromVersionId: "1" }),
    );
    return secretsManagerClient.send(new GetSecretValueCommand({ SecretId: "secret" }));
  },
  "a value that another has overtaken": ({ clients }) =>
    clients.secretsManagerClient.send(
      new UpdateSecretVersionStageCommand({
        SecretId: "secret",
        VersionStage: "AWSCURRENT",
        MoveToVersionId: "2",
        RemoveFromVersionId: "3",
      }),
    ),
  "a secret that there is not": ({ clients }) =>
    clients.secretsManagerClient.send(new GetSecretValueCommand({ SecretId: "other" })),
};

test.for(Object.keys(REQUESTS))(
  "in the simulation, %s has the same outcome with SDK and plain clients",
  async (name) => {
    const { sdk, plain } = await both(async (aws) => {
      await put(aws, ITEM);
      const outcome = await outcomeOf(async () => (await REQUESTS[name]?.(aws)) ?? {});
      const inputs = aws.attempts.map(({ input }) => ({ ...input, ClientRequestToken: "any" }));
      return { outcome: withoutMessageIds(outcome), inputs, performed: aws.performed };
    });

    expect(sdk).toEqual(plain);
  },
);

/** Queues choose their messages' ids with randomness of their own. */
function withoutMessageIds(outcome: object): unknown {
  return JSON.parse(JSON.stringify(outcome, (name, value) => (name === "MessageId" ? "any" : value)));
}

test("in the simulation, an SDK client receives, hides and deletes a message", async () => {
  const { sdk, plain } = await both(async ({ clients: { sqsClient }, environment, queues }) => {
    environment.traceHeader = TRACE_HEADER;
    await sqsClient.send(new SendMessageCommand({ QueueUrl: QUEUE_URL, MessageBody: "{}" }));
    const { Messages = [] } = await sqsClient.send(
      new ReceiveMessageCommand({ QueueUrl: QUEUE_URL, MessageSystemAttributeNames: ["All"] }),
    );
    const ReceiptHandle = Messages[0]?.ReceiptHandle;
    await sqsClient.send(
      new ChangeMessageVisibilityCommand({ QueueUrl: QUEUE_URL, ReceiptHandle, VisibilityTimeout: 900 }),
    );
    await sqsClient.send(new DeleteMessageCommand({ QueueUrl: QUEUE_URL, ReceiptHandle }));
    const [{ MessageId: _id, ReceiptHandle: _handle, ...message } = {}] = Messages;
    return { message, due: queues.engine.nextDue(QUEUE_URL) };
  });

  expect(sdk).toEqual(plain);
  expect(sdk).toMatchObject({ message: { Body: "{}", Attributes: { AWSTraceHeader: TRACE_HEADER } } });
});

test("in the simulation, an SDK client reads stream records until they are trimmed", async () => {
  const { sdk, plain } = await both(async (aws) => {
    const { streams } = aws.clients;
    await put(aws, ITEM);
    await update(aws);
    const shard = aws.table.shards.find(({ length }) => length > 0);
    const [first, last] = shard?.read(0) ?? [];
    const batch = {
      DDBStreamBatchInfo: {
        shardId: shard?.shardId ?? "",
        startSequenceNumber: first?.dynamodb?.SequenceNumber ?? "",
        endSequenceNumber: last?.dynamodb?.SequenceNumber ?? "",
        streamArn: "arn:aws:dynamodb:us-east-1:000000000000:table/CandidateTable/stream/1",
      },
    };
    const records = await readFailedBatch(streams, batch, () => true);
    const { ShardIterator } = await streams.send(
      new GetShardIteratorCommand({
        StreamArn: batch.DDBStreamBatchInfo.streamArn,
        ShardId: batch.DDBStreamBatchInfo.shardId,
        ShardIteratorType: "TRIM_HORIZON",
      }),
    );
    const oldest = await streams.send(new GetRecordsCommand({ ShardIterator, Limit: 1 }));
    await aws.clock.delay(DAY);
    const late = await readFailedBatch(streams, batch, () => true).catch((error: unknown) => error);
    expect(records).toEqual([first, last]);
    return {
      records,
      oldest: oldest.Records,
      isTrimmed: late instanceof TrimmedDataAccessException,
    };
  });

  expect(sdk).toEqual(plain);
  expect(sdk).toMatchObject({ records: [{ eventName: "INSERT" }, { eventName: "MODIFY" }], isTrimmed: true });
});

test("in the simulation, errors of SDK clients have the SDK's classes", async () => {
  const { sdk } = await both(async (aws) => {
    await put(aws, ITEM);
    const error = async (name: string) => {
      return (await REQUESTS[name]?.(aws).catch((thrown: unknown) => thrown)) as Error;
    };
    return {
      failed: await error("a condition that fails, with the item"),
      cancelled: await error("a transaction that is cancelled"),
      invalid: await error("an expression that does not parse"),
      unknown: await error("a secret that there is not"),
    };
  });
  if (sdk === "nothing") throw new Error("Nothing came of it.");

  expect(sdk.failed).toBeInstanceOf(ConditionalCheckFailedException);
  expect(sdk.failed).toHaveProperty("Item.bytes.B", BYTES);
  expect(sdk.cancelled).toBeInstanceOf(TransactionCanceledException);
  expect(sdk.cancelled).toHaveProperty("CancellationReasons.1.Item.bytes.B", BYTES);
  expect(sdk.invalid).toBeInstanceOf(DynamoDBServiceException);
  expect(sdk.invalid.name).toBe("ValidationException");
  expect(sdk.unknown).toBeInstanceOf(ResourceNotFoundException);
});

const SENT: Record<string, (aws: SimulatedAws) => Promise<object>> = {
  "an update": update,
  "a message": ({ clients }) =>
    clients.sqsClient.send(new SendMessageCommand({ QueueUrl: QUEUE_URL, MessageBody: "one" })),
  "a message that is sent once": ({ clients }) =>
    clients.sendOnceClient.send(new SendMessageCommand({ QueueUrl: QUEUE_URL, MessageBody: "one" })),
};
/** What may happen to any request: a part of a batch is refused where there is a batch. */
const FAULTS = NETWORK_FAULTS.filter((fault) => fault !== "partly refused");

test.for(
  Object.keys(SENT).flatMap((name) =>
    FAULTS.flatMap((fault) => [1, 2, 3].map((times) => ({ name, fault, times }))),
  ),
)(
  "$name has as many attempts with SDK and plain clients if it is $fault $times times",
  async ({ name, fault, times }) => {
    const { sdk, plain } = await both(async (aws) => {
      aws.faults = Array.from({ length: times }, () => fault);
      const error = await SENT[name]?.(aws).then(
        () => undefined,
        (thrown: DynamoDBServiceException) => ({ name: thrown.name, attempts: thrown.$metadata.attempts }),
      );
      return { error, attempts: aws.attempts.length, performed: aws.performed };
    });

    expect(sdk).toEqual(plain);
  },
);

test("in the simulation, an SDK client waits for a response as long as its settings say", async () => {
  const durationOf = async (name: string, attempts: number) => {
    const aws = new SimulatedAws(sdkClients);
    aws.faults = Array.from({ length: attempts }, () => "lost before");
    const startedAt = aws.clock.now();
    return await aws.during(() =>
      (SENT[name]?.(aws) ?? Promise.resolve()).then(
        () => "a response",
        (error: Error) => `${error.name} after ${Math.floor((aws.clock.now() - startedAt) / 1_000)} s`,
      ),
    );
  };
  const secondsOf = ({ maxAttempts, requestHandler }: typeof clientDefaults) =>
    (maxAttempts * requestHandler.requestTimeout) / 1_000;

  expect(await durationOf("an update", clientDefaults.maxAttempts)).toBe(
    `TimeoutError after ${secondsOf(clientDefaults)} s`,
  );
  expect(await durationOf("a message that is sent once", 1)).toBe(
    `TimeoutError after ${secondsOf(onceOnly)} s`,
  );
});

// Timers of the process, which the SDK takes, are not frozen.
const RETRYING: Record<string, (aws: SimulatedAws) => Promise<unknown>> = {
  "the SDK": update,
  "another library": (aws) =>
    pRetry(
      async () => {
        if (aws.clock.now() < BEGINNING + 100) throw new Error("Not yet.");
        await update(aws);
      },
      { minTimeout: 1_000 },
    ),
};

test.for(Object.keys(RETRYING))(
  "a simulated environment that is frozen while %s waits continues when thawed",
  async (who) => {
    const aws = new SimulatedAws(sdkClients);
    aws.faults = ["throttled"];

    const outcome = await aws.during(async () => {
      const retrying = RETRYING[who]?.(aws);
      aws.clock.after(20, () => aws.environment.freeze());
      await aws.clock.delay(DAY);
      const { performed } = aws;
      aws.environment.thaw();
      await retrying;
      return [performed, aws.performed];
    });

    expect(outcome).toEqual([0, 1]);
  },
);

test.for(Object.keys(RETRYING))(
  "a simulated environment that ends while %s waits sends nothing more",
  async (who) => {
    const aws = new SimulatedAws(sdkClients);
    aws.faults = ["throttled"];

    const outcome = await aws.during(async () => {
      aws.clock.after(20, () => aws.environment.end());
      return await RETRYING[who]?.(aws);
    });

    expect(outcome).toBe("nothing");
    expect(aws.performed).toBe(0);
  },
);

test("an error of the simulation itself is not mistaken for a service's error", async () => {
  const { sdk, plain } = await both((aws) =>
    aws.clients.sqsClient
      .send(new PurgeQueueCommand({ QueueUrl: QUEUE_URL }))
      .catch((error: Error) => ({ message: error.message, attempts: aws.attempts.length })),
  );

  expect(sdk).toEqual({ message: "The action PurgeQueue of SQS is not simulated.", attempts: 1 });
  expect(sdk).toEqual(plain);
});
