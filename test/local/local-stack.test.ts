import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { devNull, tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { InvokeCommand, LambdaClient } from "@aws-sdk/client-lambda";
import {
  GetSecretValueCommand,
  PutSecretValueCommand,
  SecretsManagerClient,
} from "@aws-sdk/client-secrets-manager";
import { CreateQueueCommand, ListQueuesCommand, SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test, vi } from "vitest";
import type { AwsCall } from "../../local/lambda/aws-calls.ts";
import { type LocalStack, startLocalStack } from "../../local/local-stack.ts";
import { ANY_STACK, issueApiKey, LogLines, writeAssembly } from "./fixture-assembly.ts";
import { restApiResources } from "./rest-api-fixture.ts";

const lines = new LogLines();
const awsCalls: (AwsCall & { readonly functionName: string })[] = [];
let folder: string;
let stack: LocalStack;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "local-stack-"));
  const assembly = await writeAssembly(join(folder, "assembly"), {
    functions: {
      IssueApiKey: issueApiKey,
      Echo: {
        code: `console.log("echo", "started");
          export const handler = async (event, context) => ({
            statusCode: 200, headers: { "X-Responded": "yes" },
            body: JSON.stringify({ event, env: process.env, left: context.getRemainingTimeInMillis() }) });`,
        properties: {
          Environment: { Variables: { GREETING: "hello", NODE_OPTIONS: "--enable-source-maps" } },
        },
      },
      CallAws: {
        code: `import { request } from "node:http";
          const signed = { authorization: "AWS4-HMAC-SHA256 Credential=a/20260101/us-east-1/secretsmanager/aws4_request, SignedHeaders=host, Signature=0" };
          const call = (url, headers, body) => new Promise((resolve) =>
            request(url, { method: "POST", headers }, (response) => response.resume().on("end", resolve)).end(body));
          export const handler = async ({ elsewhere }) => {
            await call(elsewhere, {}, "not signed");
            await call(process.env.AWS_ENDPOINT_URL_SECRETS_MANAGER, { ...signed, "x-amz-target": "secretsmanager.GetSecretValue" }, '{"SecretId":"café"}');
          };`,
      },
      Misbehave: {
        code: `export const handler = async (event) => {
            const how = event.how ?? event.body;
            if (how === "throw") throw new RangeError("out of range");
            if (how === "crash") process.exit(3);
            if (how === "hang") for (;;);
            if (how === "malform") return { hello: "world" };
            if (how === "bare") return { statusCode: 204, multiValueHeaders: { "Content-Type": [null] } };
            if (how === "burst") return { statusCode: 200, body: "x".repeat(6 * 1024 * 1024) };
            console.log("misbehave " + how);
            return { statusCode: 200, body: "well" };
          };`,
        properties: { Timeout: 1 },
      },
      Authorize: {
        code: `export const handler = async ({ headers, methodArn }) => {
            const key = headers["x-api-key"];
            console.log("authorize " + key);
            if (key === "slow") await new Promise((resolve) => setTimeout(resolve, 1_000));
            if (key === "unknown") throw new Error("Unauthorized");
            if (key === "broken") throw new Error("no database");
            return { principalId: "someone", context: { orgId: "org", age: 7 }, policyDocument: { Version: "2012-10-17",
              Statement: [{ Effect: "Allow", Action: "execute-api:Invoke", Resource: methodArn.split("/", 2).join("/") + (key === "reader" ? "/GET/*" : "/*") }] } };
          };`,
      },
    },
    resources: {
      ...restApiResources,
      Keyring: {
        Type: "AWS::SecretsManager::Secret",
        Properties: {
          GenerateSecretString: {
            SecretStringTemplate: '{"current":"1"}',
            GenerateStringKey: "1",
            PasswordLength: 64,
            ExcludePunctuation: true,
          },
        },
      },
    },
  });
  stack = await startLocalStack({
    ...ANY_STACK,
    dataDir: join(folder, "data"),
    assembly,
    dynamoDbEndpoint: inject("dynamoDbEndpoint"),
    onLog: lines.add,
    onAwsCall: (functionName, call) => awsCalls.push({ functionName, ...call }),
  });
});

afterAll(async () => {
  await stack?.stop();
  await rm(folder, { recursive: true, force: true });
});

test("A function gets the proxy event of a REST API", async () => {
  const response = await fetch(`${stack.baseUrl}/open/a%2Fb%20c?x=1&x=2&y=caf%C3%A9`, {
    headers: { "X-Mixed-Case": "kept" },
  });
  expect(response.headers.get("x-responded")).toBe("yes");
  const { event } = (await response.json()) as { event: Record<string, unknown> };
  expect(event).toMatchObject({
    resource: "/open/{name}",
    path: "/open/a%2Fb%20c",
    httpMethod: "GET",
    pathParameters: { name: "a/b c" },
    queryStringParameters: { x: "2", y: "café" },
    multiValueQueryStringParameters: { x: ["1", "2"], y: ["café"] },
    body: null,
    isBase64Encoded: false,
    requestContext: {
      stage: "test",
      resourcePath: "/open/{name}",
      path: "/test/open/a%2Fb%20c",
      requestTime: expect.stringMatching(/^\d\d\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d \+0000$/),
    },
  });
});

test.each([
  ["application/json", true],
  ["application/json; charset=utf-8", true],
  ["image/png", true],
  ["text/plain", false],
  ["application/jsonp", false],
])("A body of the media type %s reaches the function as bytes: %s", async (type, asBytes) => {
  const latin1 = Buffer.from("Jos\xe9", "latin1");

  const response = await fetch(`${stack.baseUrl}/open/a`, {
    method: "POST",
    headers: { "Content-Type": type },
    body: latin1,
  });

  const { event } = (await response.json()) as { event: Record<string, unknown> };
  expect(event).toMatchObject({
    body: asBytes ? latin1.toString("base64") : "Jos\uFFFD",
    isBase64Encoded: asBytes,
  });
});

test("A content type is added to a response without one, unless the function returns null", async () => {
  const post = (how: string) => fetch(`${stack.baseUrl}/open`, { method: "POST", body: how });

  expect((await post("behave")).headers.get("content-type")).toBe("application/json");
  const bare = await post("bare");
  expect(bare.status).toBe(204);
  expect(bare.headers.get("content-type")).toBeNull();
});

test("A function sees its own environment variables and none of the process that started the stack", async () => {
  const { env, left } = (await (await fetch(`${stack.baseUrl}/open`)).json()) as {
    env: Record<string, string>;
    left: number;
  };
  expect(env).toMatchObject({
    GREETING: "hello",
    AWS_REGION: "us-east-1",
    AWS_LAMBDA_FUNCTION_NAME: "Echo",
    AWS_ENDPOINT_URL_DYNAMODB: stack.dynamoDbEndpoint,
  });
  expect(env["HOME"]).toBeUndefined();
  expect(env["VITEST"]).toBeUndefined();
  expect(left).toBeGreaterThan(0);
  expect(left).toBeLessThanOrEqual(5_000);
});

test("The developer's settings for AWS change nothing", async () => {
  vi.stubEnv("AWS_USE_FIPS_ENDPOINT", "true");
  vi.stubEnv("AWS_USE_DUALSTACK_ENDPOINT", "true");
  onTestFinished(() => void vi.unstubAllEnvs());

  const other = await startLocalStack({
    ...ANY_STACK,
    assembly: stack.assembly,
    dataDir: join(folder, "in an AWS account"),
    dynamoDbEndpoint: inject("dynamoDbEndpoint"),
  });
  onTestFinished(() => other.stop());

  const { env } = (await (await fetch(`${other.baseUrl}/open`)).json()) as { env: Record<string, string> };
  expect(env["AWS_USE_FIPS_ENDPOINT"]).toBeUndefined();
  expect(env).toMatchObject({ AWS_CONFIG_FILE: devNull, AWS_SHARED_CREDENTIALS_FILE: devNull });
});

test.each([
  ["throws", "throw"],
  ["crashes", "crash"],
  ["runs out of time", "hang"],
  ["returns what is no proxy response", "malform"],
  ["returns more than 6 MB", "burst"],
])("A function that %s fails only its own request", async (_, how) => {
  const failing = fetch(`${stack.baseUrl}/open`, { method: "POST", body: how });
  const fine = fetch(`${stack.baseUrl}/open`, { method: "POST", body: "behave" });
  expect(await (await failing).json()).toMatchObject({ type: "DEFAULT_5XX" });
  expect(await (await fine).text()).toBe("well");
});

test("An unknown key, a missing key, a denied method and a failing authorizer get different responses", async () => {
  const ask = async (key: string | undefined, method = "GET") => {
    const headers: Record<string, string> = key === undefined ? {} : { "x-api-key": key };
    const response = await fetch(`${stack.baseUrl}/closed`, { method, headers });
    return [response.status, ((await response.json()) as { type?: string }).type];
  };
  expect(await ask(undefined)).toEqual([401, "UNAUTHORIZED"]);
  expect(await ask("")).toEqual([401, "UNAUTHORIZED"]);
  expect(await ask("unknown")).toEqual([401, "UNAUTHORIZED"]);
  expect(await ask("broken")).toEqual([500, "DEFAULT_5XX"]);
  expect(await ask("reader")).toEqual([200, undefined]);
  expect(await ask("reader", "POST")).toEqual([401, "ACCESS_DENIED"]);
});

test("The authorizer's response is cached, and its context reaches the function as strings", async () => {
  const ask = () => fetch(`${stack.baseUrl}/closed`, { headers: { "x-api-key": "kept" } });
  await ask();
  const { event } = (await (await ask()).json()) as { event: { requestContext: object } };
  expect(event.requestContext).toMatchObject({
    authorizer: { orgId: "org", age: "7", principalId: "someone" },
  });
  expect(lines.all.filter((line) => line === "authorize kept")).toHaveLength(1);
});

test("A gateway response has the template's status, headers and body", async () => {
  const response = await fetch(`${stack.baseUrl}/nowhere`);
  const requestId = response.headers.get("x-request-id");
  expect(response.status).toBe(404);
  expect(response.headers.get("cache-control")).toBe("no-store");
  expect(await response.json()).toEqual({ type: "MISSING_AUTHENTICATION_TOKEN", id: requestId });
});

/** The rest of the line of the access log about a response. */
async function accessLine(response: Response): Promise<string> {
  const requestId = response.headers.get("x-amzn-requestid") ?? "";
  const logged = async () => {
    const log = await readFile(join(folder, "data", "logs", "access.log"), "utf8");
    return new RegExp(`^${requestId} (.*)$`, "m").exec(log)?.[1];
  };
  await expect.poll(logged).toBeDefined();
  return String(await logged());
}

test("The access log shows the caller, the gateway's own responses, and which invocation of a function it was", async () => {
  const closed = await fetch(`${stack.baseUrl}/closed`, { headers: { "x-api-key": "logged" } });
  const unknown = await fetch(`${stack.baseUrl}/closed`, { headers: { "x-api-key": "unknown" } });
  const thrown = await fetch(`${stack.baseUrl}/open`, { method: "POST", body: "throw" });

  expect(await accessLine(closed)).toMatch(/^200 org - 200 [0-9a-f-]{36}$/);
  expect(await accessLine(unknown)).toBe("401 - UNAUTHORIZED - -");
  const [, invocation] = /^500 - DEFAULT_5XX 200 ([0-9a-f-]{36})$/.exec(await accessLine(thrown)) ?? [];
  expect(lines.all.join("\n")).toContain(`"requestId":"${invocation}"`);
});

test("An invalid percent-encoding in a path gets a 400", async () => {
  expect((await fetch(`${stack.baseUrl}/open/%ZZ`)).status).toBe(400);
  expect((await fetch(`${stack.baseUrl}/open?x=%E0%A4%A`)).status).toBe(400);
});

test("A body over 10 MiB and an event over Lambda's 6 MB get a readable 413", async () => {
  const post = (bytes: number) =>
    fetch(`${stack.baseUrl}/open`, { method: "POST", body: Buffer.alloc(bytes, "x") });
  expect((await post(10 * 1024 * 1024 + 1)).status).toBe(413);
  expect((await post(6 * 1024 * 1024)).status).toBe(413);
});

test("The SDK can call the Invoke API", async () => {
  const lambda = new LambdaClient(clientOf(stack));
  const invoke = (FunctionName: string, event: object, InvocationType?: "Event" | "DryRun") =>
    lambda.send(
      new InvokeCommand({
        FunctionName,
        Payload: Buffer.from(JSON.stringify(event)),
        ...(InvocationType && { InvocationType }),
      }),
    );
  const fine = await invoke("arn:aws:lambda:us-east-1:000000000000:function:Misbehave", { how: "sync" });
  expect([fine.StatusCode, fine.FunctionError]).toEqual([200, undefined]);
  expect(JSON.parse(fine.Payload?.transformToString() ?? "")).toEqual({ statusCode: 200, body: "well" });

  const thrown = await invoke("Misbehave", { how: "throw" });
  expect(thrown.FunctionError).toBe("Unhandled");
  expect(JSON.parse(thrown.Payload?.transformToString() ?? "")).toEqual({
    errorType: "RangeError",
    errorMessage: "out of range",
    trace: expect.any(Array),
  });

  const burst = await invoke("Misbehave", { how: "burst" });
  expect(burst.FunctionError).toBe("Unhandled");
  expect(JSON.parse(burst.Payload?.transformToString() ?? "")).toMatchObject({
    errorType: "Function.ResponseSizeTooLarge",
  });
  await expect(invoke("Misbehave", { how: "x".repeat(6 * 1024 * 1024) })).rejects.toMatchObject({
    name: "RequestTooLargeException",
  });

  await expect(invoke("Misbehave", { how: "x".repeat(1024 * 1024) }, "Event")).rejects.toMatchObject({
    name: "RequestTooLargeException",
  });

  expect((await invoke("Misbehave", { how: "later" }, "Event")).StatusCode).toBe(202);
  await lines.first(1, "misbehave later");
  expect((await invoke("Misbehave", { how: "never" }, "DryRun")).StatusCode).toBe(204);
  await expect(invoke("Nobody", {})).rejects.toMatchObject({ name: "ResourceNotFoundException" });
});

test("Each AWS request of a function is reported, and none of its other requests", async () => {
  const lambda = new LambdaClient(clientOf(stack));
  const Payload = JSON.stringify({ elsewhere: stack.baseUrl });
  await lambda.send(new InvokeCommand({ FunctionName: "CallAws", Payload }));
  expect(awsCalls).toEqual([
    {
      functionName: "CallAws",
      service: "secretsmanager",
      target: "secretsmanager.GetSecretValue",
      body: '{"SecretId":"café"}',
    },
  ]);
});

test("A generated secret can be read and replaced", async () => {
  const client = new SecretsManagerClient(clientOf(stack));
  const SecretId = "Fixture-Keyring";
  const first = await client.send(new GetSecretValueCommand({ SecretId }));
  expect(JSON.parse(first.SecretString ?? "")).toEqual({
    current: "1",
    1: expect.stringMatching(/^[A-Za-z0-9]{64}$/),
  });
  const put = (SecretString: string) =>
    client.send(new PutSecretValueCommand({ SecretId, SecretString, ClientRequestToken: "t".repeat(32) }));
  await put("second");
  await put("second");
  await expect(put("third")).rejects.toMatchObject({ name: "ResourceExistsException" });
  expect((await client.send(new GetSecretValueCommand({ SecretId }))).SecretString).toBe("second");
  await expect(client.send(new GetSecretValueCommand({ SecretId: "none" }))).rejects.toMatchObject({
    name: "ResourceNotFoundException",
  });
  const previous = new GetSecretValueCommand({ SecretId, VersionStage: "AWSPREVIOUS" });
  await expect(client.send(previous)).rejects.toMatchObject({ name: "InvalidParameterException" });
});

/** What listens beside the API, each with a request that a page could send, and the response that a program gets. */
const awsPorts = {
  "a key made by Invoke": {
    url: () => `${stack.invokeUrl}/2015-03-31/functions/Fixture-issue-api-key/invocations`,
    headers: { "Content-Type": "text/plain" },
    body: '{"orgId":"acme"}',
    response: /"apiKey":"acme/,
  },
  "the keyring in Secrets Manager": {
    url: () => stack.invokeUrl,
    headers: { "Content-Type": "text/plain", "X-Amz-Target": "secretsmanager.GetSecretValue" },
    body: '{"SecretId":"Fixture-Keyring"}',
    response: /SecretString/,
  },
  "the queues by SQS": {
    url: () => stack.queuesEndpoint,
    // A safelisted type: the engine reads every body as JSON.
    headers: { "Content-Type": "text/plain", "X-Amz-Target": "AmazonSQS.ListQueues" },
    body: "{}",
    response: /QueueUrls/,
  },
} as const;

/** Headers that a browser adds to a page's request; `fetch` would not let a test set them. */
const pages = {
  "a name that another site has rebound to this machine": { host: "evil.example" },
  "a rebound name that calls itself its own origin": {
    host: "evil.example:80",
    origin: "http://evil.example:80",
  },
  "a name that begins like a loopback name": { host: "localhost.evil.example" },
  "another site's page": { origin: "https://evil.example" },
  "a page of another port of this machine": { origin: "http://127.0.0.1:1" },
  "a page without an origin": { origin: "null" },
  "another site's script, whose request has no origin": {
    "sec-fetch-site": "cross-site",
    "sec-fetch-mode": "no-cors",
  },
  "a page of another port that sends no origin": { "sec-fetch-site": "same-site" },
} as const;

function send({ url, body, ...rest }: { url: string; body?: string; method?: string; headers: object }) {
  return new Promise<[status: number | undefined, body: string]>((resolve, reject) => {
    request(url, { method: "POST", ...rest, headers: { ...rest.headers } }, (response) => {
      response.toArray().then((chunks) => resolve([response.statusCode, chunks.join("")]), reject);
    })
      .on("error", reject)
      .end(body);
  });
}

describe.each(Object.entries(awsPorts))("through a local port, %s", (_, { url, response, ...call }) => {
  test.each(Object.entries(pages))("cannot be reached by %s", async (_, browser) => {
    const [status, body] = await send({ ...call, url: url(), headers: { ...call.headers, ...browser } });

    expect(status).toBe(403);
    expect(body).not.toMatch(response);
  });

  test.each(["127.0.0.1", "localhost", "[::1]"])(
    "can be reached by a program that calls %s",
    async (name) => {
      const { port } = new URL(url());
      const [status, body] = await send({
        ...call,
        url: url(),
        headers: { ...call.headers, host: `${name}:${port}` },
      });

      expect(status).toBe(200);
      expect(body).toMatch(response);
    },
  );
});

test("The SDK can use the stack's queues", async () => {
  const sqs = new SQSClient({ ...clientOf(stack), endpoint: stack.queuesEndpoint });
  await sqs.send(new CreateQueueCommand({ QueueName: "made-by-the-sdk" }));
  const { QueueUrls } = await sqs.send(new ListQueuesCommand({ QueueNamePrefix: "made-by" }));
  expect(QueueUrls).toEqual([expect.stringMatching(/\/made-by-the-sdk$/)]);
});

test("A data folder in use and a port in use are each reported in one sentence", async () => {
  const { assembly } = stack;
  await expect(startLocalStack({ ...ANY_STACK, assembly, dataDir: join(folder, "data") })).rejects.toThrow(
    /Another local stack uses .*stop it, or set LOCAL_DATA_DIR/,
  );
  const port = Number(new URL(stack.baseUrl).port);
  await expect(
    startLocalStack({ ...ANY_STACK, assembly, dataDir: join(folder, "other"), port }),
  ).rejects.toThrow(
    `Port ${port} is in use: stop the process that listens there, or set PORT to another port.`,
  );
});

test("A reload runs the changed code without an interruption for callers", async () => {
  const file = join(folder, "assembly", "asset.Misbehave", "index.mjs");
  await writeFile(file, `export const handler = async () => ({ statusCode: 200, body: "changed" });`);
  const during = fetch(`${stack.baseUrl}/open`, { method: "POST", body: "behave" });
  await stack.reload();
  expect((await during).status).toBe(200);
  const after = await fetch(`${stack.baseUrl}/open`, { method: "POST", body: "behave" });
  expect(await after.text()).toBe("changed");
});

test.each([
  ["the API", () => `${stack.baseUrl}/open`],
  ["Lambda", () => `${stack.invokeUrl}/2015-03-31/functions/Misbehave/invocations`],
])("A request to %s whose body arrives during a reload is handled by the new code", async (_, url) => {
  await send({ url: url(), headers: {}, body: "{}" });
  const beginning = request(url(), { method: "POST", headers: { Expect: "100-continue" } });
  beginning.flushHeaders();
  await once(beginning, "continue");
  beginning.write("{");
  await stack.reload();
  const responded = once(beginning, "response");
  beginning.end("}");
  const [response] = await responded;
  expect(response.statusCode).toBe(200);
  expect(await text(response)).toMatch("changed");
});

test("A request that is being authorized when a reload begins reaches its function", async () => {
  // An environment that waits for calls ends with the reload.
  await fetch(`${stack.baseUrl}/open`);
  const during = fetch(`${stack.baseUrl}/closed`, { headers: { "x-api-key": "slow" } });
  await lines.first(1, "authorize slow");
  await stack.reload();
  expect((await during).status).toBe(200);
});

test("A reload that fails leaves the previous version running, and no other assembly", async () => {
  const dataDir = join(folder, "failing");
  const logged = new LogLines();
  let FunctionName: unknown = { Ref: "Consume" };
  const failing = await startLocalStack({
    ...ANY_STACK,
    dataDir,
    dynamoDbEndpoint: inject("dynamoDbEndpoint"),
    onLog: logged.add,
    assembly: {
      stackName: "Fixture",
      async synthesise(directory) {
        const EventSourceArn = { "Fn::GetAtt": ["Work", "Arn"] };
        await writeAssembly(directory, {
          functions: { Consume: { code: `export const handler = async () => console.log("consumed");` } },
          resources: {
            Work: { Type: "AWS::SQS::Queue", Properties: {} },
            Source: {
              Type: "AWS::Lambda::EventSourceMapping",
              Properties: { FunctionName, EventSourceArn },
            },
          },
        });
      },
    },
  });
  onTestFinished(() => failing.stop());
  FunctionName = "another-stacks";

  await expect(failing.reload()).rejects.toThrow("Source invokes another-stacks");

  expect(await readdir(join(dataDir, "assemblies"))).toHaveLength(1);
  const sqs = new SQSClient({ ...clientOf(failing), endpoint: failing.queuesEndpoint });
  const QueueUrl = `${failing.queuesEndpoint}/000000000000/Fixture-Work`;
  await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: "a" }));
  await logged.first(1, "consumed");
});

function clientOf({ invokeUrl, aws }: LocalStack) {
  return { endpoint: invokeUrl, region: aws.region, credentials: aws };
}
