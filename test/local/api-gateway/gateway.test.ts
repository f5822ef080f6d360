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

/** Starts a gateway whose function returns this. Returns what sends a request to it. */
async function gatewayTo(invoke: (payload: string) => Promise<{ payload: string }>, throttling = false) {
  const respond = { invoke };
  const gateway = new Gateway(anApi, {
    functions: new Map([["respond", respond as unknown as LocalFunction]]),
    throttling,
    onRequest: () => {},
    onAccess: () => {},
  });
  const server = createServer((message, response) => gateway.handle(message, Buffer.alloc(0), response));
  const url = `${await listening(server)}/orders`;
  return (path = "", init: RequestInit = {}) => fetch(`${url}${path}`, init);
}

/** Starts a gateway whose function always succeeds. Returns the status of a request with this method. */
async function aGateway({ throttling }: { readonly throttling: boolean }) {
  const send = await gatewayTo(async () => ({ payload: JSON.stringify({ statusCode: 200 }) }), throttling);
  return async (method: string) => (await send("", { method })).status;
}

/** The response to a request whose function returns this. */
async function responseTo(returned: object): Promise<Response> {
  return (await gatewayTo(async () => ({ payload: JSON.stringify(returned) })))();
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

test("A function that takes longer than its integration gets a 504", async () => {
  const send = await gatewayTo(() => new Promise(() => {}));

  expect((await send()).status).toBe(504);
});

test.each([
  ["0", { statusCode: 0 }],
  ["600", { statusCode: 600 }],
  ["200.5", { statusCode: 200.5 }],
])("The status code %s of a function gets a 502", async (_, returned) => {
  expect((await responseTo(returned)).status).toBe(502);
});

test("A function's headers reach the caller, except for those that API Gateway renames or drops", async () => {
  const response = await responseTo({
    statusCode: "201",
    headers: {
      "content-type": "text/plain",
      "Set-Cookie": "a=1",
      Server: "mine",
      "Transfer-Encoding": "gzip",
      "X-Count": 7,
    },
    multiValueHeaders: { "Set-Cookie": ["a=1", "b=2"] },
    body: Buffer.from([0xff, 0x00]).toString("base64"),
    isBase64Encoded: true,
  });

  expect(response.status).toBe(201);
  expect(response.headers.getSetCookie()).toEqual(["a=1", "b=2"]);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    "content-type": "text/plain",
    "content-length": "2",
    "x-amzn-remapped-server": "mine",
    "x-amzn-requestid": expect.any(String),
    "x-count": "7",
  });
  expect(response.headers.has("server")).toBe(false);
  expect([...(await response.bytes())]).toEqual([0xff, 0x00]);
});

test("A 304 has no length, which would be that of a body", async () => {
  expect((await responseTo({ statusCode: 304 })).headers.has("content-length")).toBe(false);
});

test("A function gets the query decoded as a form's, and nulls for what a request lacks", async () => {
  const events: Record<string, unknown>[] = [];
  const send = await gatewayTo(async (payload) => {
    events.push(JSON.parse(payload));
    return { payload: JSON.stringify({ statusCode: 200 }) };
  });

  await send("?a=1+2&b=c=d&e=f?g&h");
  await send();

  expect(events).toMatchObject([
    { queryStringParameters: { a: "1 2", b: "c=d", e: "f?g", h: "" }, pathParameters: null },
    {
      queryStringParameters: null,
      multiValueQueryStringParameters: null,
      body: null,
      isBase64Encoded: false,
    },
  ]);
});
