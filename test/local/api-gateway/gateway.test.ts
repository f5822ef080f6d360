import { createServer } from "node:http";
import { expect, test } from "vitest";
import type { ApiDefinition } from "../../../local/api-gateway/definition.ts";
import { Gateway } from "../../../local/api-gateway/gateway.ts";
import type { LocalFunction } from "../../../local/lambda/local-function.ts";
import { listening } from "../../builders/listening.ts";

const anApi: ApiDefinition = {
  apiId: "api",
  stage: "test",
  binaryMediaTypes: [],
  methods: ["GET", "POST"].map((httpMethod) => ({
    httpMethod,
    resourcePath: "/orders",
    resourceId: "orders",
    authorizer: undefined,
    integration: { functionName: "respond", timeoutMs: 1000 },
  })),
  gatewayResponses: new Map(),
  // One request, and the next after a quarter of an hour.
  throttle: { ratePerSecond: 0.001, burst: 1 },
  accessLogFormat: undefined,
};

/** Starts a gateway whose function always succeeds. Returns the status of a request with this method. */
async function aGateway({ throttling }: { readonly throttling: boolean }) {
  const respond = { invoke: async () => ({ payload: JSON.stringify({ statusCode: 200 }) }) };
  const gateway = new Gateway(anApi, {
    functions: new Map([["respond", respond as unknown as LocalFunction]]),
    throttling,
    onRequest: () => {},
    onAccess: () => {},
  });
  const server = createServer((message, response) => gateway.handle(message, Buffer.alloc(0), response));
  const url = `${await listening(server)}/orders`;
  return async (method: string) => (await fetch(url, { method })).status;
}

test("Requests to one method do not use up the rate of another", async () => {
  const send = await aGateway({ throttling: true });

  expect([await send("GET"), await send("GET"), await send("POST"), await send("POST")]).toEqual([
    200, 429, 200, 429,
  ]);
});

test("Without throttling no request is refused", async () => {
  const send = await aGateway({ throttling: false });

  expect([await send("GET"), await send("GET")]).toEqual([200, 200]);
});
