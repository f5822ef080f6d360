import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { DynamoDBClient, GetItemCommand } from "@aws-sdk/client-dynamodb";
import { expect, onTestFinished, test } from "vitest";
import { clientDefaults } from "#runtime/client-defaults";
import type { Shares } from "../../tools/faults/fault.ts";
import { type FaultProxy, startFaultProxy } from "../../tools/faults/fault-proxy.ts";
import { seeded } from "../../tools/seeded.ts";

const OF_FUNCTION = "aws-sdk-js/3 exec-env/AWS_Lambda_nodejs24.x";
const OF_STACK = "aws-sdk-js/3";

test("The fault proxy loses a response after the request was carried out", async () => {
  const { proxy, arrived } = await aProxyWith({ lost: 1 });

  await expect(send(proxy, "write")).rejects.toThrow();

  expect(arrived).toEqual(["write"]);
  expect(proxy.counts).toMatchObject({ lost: 1, passed: 0 });
});

test("The fault proxy resets a connection before the request is carried out", async () => {
  const { proxy, arrived } = await aProxyWith({ reset: 1 });

  await expect(send(proxy, "write")).rejects.toThrow();

  expect(arrived).toEqual([]);
  expect(proxy.counts).toMatchObject({ reset: 1, passed: 0 });
});

test("The fault proxy throttles a request like DynamoDB, and the SDK retries it", async () => {
  const { proxy, arrived } = await aProxyWith({ throttled: 1 });
  const client = new DynamoDBClient({
    ...clientDefaults,
    endpoint: proxy.url,
    region: "us-east-1",
    credentials: { accessKeyId: "A", secretAccessKey: "B" },
    customUserAgent: "exec-env/AWS_Lambda_nodejs24.x",
  });

  const sending = client.send(new GetItemCommand({ TableName: "candidates", Key: { pk: { S: "1" } } }));

  await expect(sending).rejects.toMatchObject({
    name: expect.stringMatching(/^(?:ProvisionedThroughputExceeded|Throttling)Exception$/),
    $metadata: { httpStatusCode: 400, attempts: 3 },
  });
  expect(arrived).toEqual([]);
  expect(proxy.counts).toMatchObject({ throttled: 3 });
});

test.each([
  ["request", 0.9],
  ["response", 0],
])("The fault proxy carries out a delayed %s even if its caller no longer waits", async (_, direction) => {
  const impatience = new AbortController();
  const draws = [0, 0, direction, 0, 0, direction].values();
  const { proxy, arrived, untilArrived } = await aProxyWith({ delayed: 1 }, () => {
    if (arrived.length === 1) impatience.abort();
    return draws.next().value ?? 0;
  });

  const patient = await send(proxy, "first");
  await expect(send(proxy, "second", OF_FUNCTION, impatience.signal)).rejects.toThrow();
  await untilArrived(2);

  expect(patient).toBe("done: first");
  expect(arrived).toEqual(["first", "second"]);
  expect(proxy.counts).toMatchObject({ delayed: 2 });
});

test("Each fault hits its share of the functions' requests and none of the local stack's", async () => {
  const { proxy } = await aProxyWith({ lost: 0.15, throttled: 0.4, reset: 0.3 });
  let failed = 0;
  const requests = Array.from({ length: 500 }).values();
  const lane = async () => {
    for (const _ of requests) await send(proxy, "function's").catch(() => (failed += 1));
  };
  await Promise.all(Array.from({ length: 20 }, lane));
  const ofStack = await Promise.all(Array.from({ length: 100 }, () => send(proxy, "stack's", OF_STACK)));

  expect(new Set(ofStack)).toEqual(new Set(["done: stack's"]));
  expect(failed).toBe(proxy.counts.lost + proxy.counts.reset);
  for (const [fault, share] of [
    ["lost", 0.15],
    ["throttled", 0.4],
    ["reset", 0.3],
    ["passed", 0.15],
  ] as const) {
    expect(proxy.counts[fault] / 500, fault).toBeCloseTo(share, 1);
  }
});

test("The fault proxy breaks connections while DynamoDB is down, and forwards requests when it is up again", async () => {
  const { proxy, upstream } = await aProxyWith({});
  const { url } = upstream;
  upstream.url = "http://127.0.0.1:1";
  await expect(send(proxy, "write")).rejects.toThrow();

  upstream.url = url;

  expect(await send(proxy, "write")).toBe("done: write");
});

/** A proxy before a plain server that keeps the bodies it gets. */
async function aProxyWith(shares: Shares, random: () => number = seeded(1)) {
  const arrived: string[] = [];
  const waiting = new Set<() => void>();
  const server = createServer({ keepAliveTimeout: 60_000 }, async (message, response) => {
    const body = Buffer.concat(await Array.fromAsync(message)).toString();
    arrived.push(body);
    for (const look of waiting) look();
    response.end(`done: ${body}`);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const upstream = { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  const proxy = await startFaultProxy({
    upstream: () => upstream.url,
    random,
  });
  proxy.use(shares);
  onTestFinished(async () => {
    await proxy.stop();
    server.closeAllConnections();
    server.close();
  });
  const untilArrived = (count: number) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (arrived.length >= count) resolve();
      };
      waiting.add(look);
      look();
    });
  return { proxy, upstream, arrived, untilArrived };
}

async function send(proxy: FaultProxy, body: string, agent = OF_FUNCTION, signal?: AbortSignal) {
  const response = await fetch(proxy.url, {
    method: "POST",
    headers: { "User-Agent": agent },
    body,
    ...(signal && { signal }),
  });
  return response.text();
}
