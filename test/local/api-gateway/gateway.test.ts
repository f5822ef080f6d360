import { createServer } from "node:http";
import { buffer } from "node:stream/consumers";
import { expect, test } from "vitest";
import type { ApiDefinition } from "../../../local/api-gateway/definition.ts";
import { Gateway } from "../../../local/api-gateway/gateway.ts";
import { type GatewayResponseType, gatewayResponse } from "../../../local/api-gateway/response.ts";
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

interface GatewaySettings {
  readonly throttling?: boolean;
  readonly api?: Partial<ApiDefinition>;
  readonly onAccess?: (line: string) => void;
  readonly onFault?: (error: unknown) => void;
}

/** Starts a gateway whose function returns this. Returns what sends a request to it. */
async function gatewayTo(
  invoke: (payload: string) => Promise<{ payload: string }>,
  {
    throttling = false,
    api = {},
    onAccess = () => {},
    onFault = (error) => expect.unreachable(String(error)),
  }: GatewaySettings = {},
) {
  const respond = { invoke };
  const gateway = new Gateway(
    { ...anApi, ...api },
    {
      functions: new Map([["respond", respond as unknown as LocalFunction]]),
      throttling,
      onRequest: () => {},
      onAccess,
    },
  );
  const server = createServer(async (message, response) => {
    await gateway.handle(message, await buffer(message), response).catch((error: unknown) => {
      response.destroy();
      onFault(error);
    });
  });
  const url = `${await listening(server)}/orders`;
  return (path = "", init: RequestInit = {}) => fetch(`${url}${path}`, init);
}

/** Starts a gateway whose function always succeeds. Returns the status of a request with this method. */
async function aGateway(settings: GatewaySettings) {
  const send = await gatewayTo(async () => ({ payload: JSON.stringify({ statusCode: 200 }) }), settings);
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

test("A route to a function that the template lacks is a fault, and not a mistake of the caller", async () => {
  const faults: unknown[] = [];
  const integration = { functionName: "missing", timeoutMs: 1000 };
  const send = await gatewayTo(async () => ({ payload: "{}" }), {
    api: { methods: anApi.methods.map((method) => ({ ...method, integration })) },
    onFault: (error) => faults.push(error),
  });

  await expect(send()).rejects.toThrow();

  expect(faults).toMatchObject([
    { message: "The API calls missing, but the template has no such function." },
  ]);
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

test("With the binary media type for all types, each body reaches the function as bytes", async () => {
  const events: Record<string, unknown>[] = [];
  const send = await gatewayTo(
    async (payload) => {
      events.push(JSON.parse(payload));
      return { payload: JSON.stringify({ statusCode: 200 }) };
    },
    { api: { binaryMediaTypes: ["*/*"] } },
  );

  await send("", { method: "POST", body: "a" });
  await send("", { method: "POST", body: new Uint8Array([0xff]) });

  expect(events).toMatchObject([
    { body: "YQ==", isBase64Encoded: true },
    { body: "/w==", isBase64Encoded: true },
  ]);
});

test("An authorizer's function gets the request and the ARN of its method", async () => {
  const events: Record<string, unknown>[] = [];
  const authorizer = { id: "keys", functionName: "respond", cacheSeconds: 0, identityHeaders: ["x-api-key"] };
  const send = await gatewayTo(
    async (payload) => {
      events.push(JSON.parse(payload));
      return { payload: JSON.stringify({ statusCode: 200 }) };
    },
    { api: { methods: anApi.methods.map((method) => ({ ...method, authorizer })) } },
  );

  expect((await send("?a=1", { headers: { "X-API-Key": "key" } })).status).toBe(500);

  expect(events).toMatchObject([
    {
      type: "REQUEST",
      methodArn: "arn:aws:execute-api:us-east-1:000000000000:api/test/GET/orders",
      resource: "/orders",
      queryStringParameters: { a: "1" },
    },
  ]);
});

test("The access log has the length of a response in bytes, and a dash for what is unknown", async () => {
  const lines: string[] = [];
  const api = { accessLogFormat: "$context.status $context.responseLength $context.authorizer.orgId" };
  const returned = { payload: JSON.stringify({ statusCode: 200, body: "é" }) };
  const send = await gatewayTo(async () => returned, { api, onAccess: (line) => lines.push(line) });

  await send();

  await expect.poll(() => lines).toEqual(["200 2 -"]);
});

test.each<[GatewayResponseType, number]>([
  ["UNAUTHORIZED", 401],
  ["ACCESS_DENIED", 403],
  ["MISSING_AUTHENTICATION_TOKEN", 403],
  ["REQUEST_TOO_LARGE", 413],
  ["THROTTLED", 429],
  ["AUTHORIZER_FAILURE", 500],
  ["AUTHORIZER_CONFIGURATION_ERROR", 500],
  ["INTEGRATION_TIMEOUT", 504],
])(
  "A response of the gateway's own that no template defines has API Gateway's status: %s, %i",
  (type, status) => {
    expect(gatewayResponse(anApi, type, {})).toMatchObject({
      statusCode: status,
      body: `{"message":"${type}"}`,
    });
  },
);

test.each<[GatewayResponseType, string]>([
  ["UNAUTHORIZED", "of callers"],
  ["INTEGRATION_TIMEOUT", "of the service"],
])(
  "A response without a definition of its own has the template's default for its class: %s",
  (type, body) => {
    const defaultOf = (text: string) => ({
      statusCode: undefined,
      headers: {},
      templates: { "text/plain": text },
    });
    const gatewayResponses = new Map([
      ["DEFAULT_4XX", defaultOf("of callers")],
      ["DEFAULT_5XX", defaultOf("of the service")],
    ]);

    expect(gatewayResponse({ ...anApi, gatewayResponses }, type, {})).toMatchObject({ body });
  },
);
