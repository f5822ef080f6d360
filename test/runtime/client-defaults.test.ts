import { createServer } from "node:http";
import { SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { expect, test } from "vitest";
import { clientDefaults } from "#runtime/client-defaults";
import { onceOnly } from "#runtime/once-only";
import { listening } from "../builders/listening.ts";

/** A queue that responds after so many ms, and counts its requests. */
async function aQueue({ ms = 0, statusCode = 200 }) {
  let requests = 0;
  const server = createServer((request, response) => {
    requests += 1;
    request.resume();
    setTimeout(() => response.writeHead(statusCode).end(JSON.stringify({ MessageId: "1" })), ms).unref();
  });
  return { send: sqsAt(await listening(server)), requests: () => requests };
}

/** Sends a message to a server with a client of these options; the same client for the same options. */
function sqsAt(endpoint: string) {
  const clients = new Map<object, SQSClient>();
  return (options: typeof clientDefaults) => {
    const client =
      clients.get(options) ??
      new SQSClient({
        ...options,
        endpoint,
        region: "eu-west-1",
        credentials: { accessKeyId: "id", secretAccessKey: "secret" },
        md5: false,
      });
    clients.set(options, client);
    return client.send(new SendMessageCommand({ QueueUrl: `${endpoint}/1/queue`, MessageBody: "message" }));
  };
}

test("a non-repeatable AWS request is sent once, with a longer timeout than one attempt of another", async () => {
  const [queue, other] = await Promise.all([aQueue({ ms: 2_300 }), aQueue({ ms: 2_300 })]);

  await Promise.all([
    expect(queue.send(onceOnly)).resolves.toMatchObject({ MessageId: "1" }),
    expect(other.send({ ...clientDefaults, maxAttempts: 1 })).rejects.toMatchObject({ name: "TimeoutError" }),
  ]);

  expect(queue.requests()).toBe(1);
});

test.each([
  ["once more if the connection breaks", 1, 3],
  ["not a third time if it breaks again", 2, 3],
])("a non-repeatable AWS request is sent %s", async (_what, broken, requests) => {
  let received = 0;
  const server = createServer((request, response) => {
    received += 1;
    // The first response keeps the connection, which then breaks as it is used again.
    if (received > 1 && received <= 1 + broken) request.socket.resetAndDestroy();
    else response.end(JSON.stringify({ MessageId: String(received) }));
  });
  const send = sqsAt(await listening(server));
  await send(onceOnly);

  const sent = send(onceOnly);

  if (broken === 1) await expect(sent).resolves.toMatchObject({ MessageId: "3" });
  else await expect(sent).rejects.toMatchObject({ code: "ECONNRESET", $metadata: { attempts: 2 } });
  expect(received).toBe(requests);
});

test("an AWS request whose response stops in the middle is sent again", async () => {
  let requests = 0;
  const server = createServer((request, response) => {
    requests += 1;
    request.resume();
    response.writeHead(200).write('{"MessageId":');
    if (requests > 1) response.end('"1"}');
  });
  const send = sqsAt(await listening(server));

  await expect(send(clientDefaults)).resolves.toMatchObject({ MessageId: "1" });

  expect(requests).toBe(2);
});

test("a failing AWS request is attempted three times, a non-repeatable one once", async () => {
  const [queue, other] = await Promise.all([aQueue({ statusCode: 503 }), aQueue({ statusCode: 503 })]);

  await Promise.all([
    expect(queue.send(clientDefaults)).rejects.toMatchObject({ $metadata: { httpStatusCode: 503 } }),
    expect(other.send(onceOnly)).rejects.toMatchObject({ $metadata: { httpStatusCode: 503 } }),
  ]);

  expect([queue.requests(), other.requests()]).toEqual([3, 1]);
});
