import { getEventListeners } from "node:events";
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { runInNewContext } from "node:vm";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { GATEWAY_MESSAGES } from "#contract/gateway-messages";
import { Site } from "#runtime/site";
import {
  CandidateServiceClient,
  CandidateServiceError,
  type CandidateServiceClient as Client,
  type ClientOptions,
} from "../../client/src/index.ts";
import { aSubmission } from "../builders/submission.ts";
import { aClosedPort, aService, breaks, hangs, refuses, responds, type Step } from "./scripted-service.ts";

const RECEIPT = { stagedId: "staged_1", externalId: "ext-1", status: "received", receivedAt: "now" };
const RESULT = { ...RECEIPT, status: 201, replayed: false };
const REFUSAL = { externalId: "ext-1", status: 400, error: "invalid_request", message: "Told why." };
const ENDPOINT = { id: "whe_1", url: "https://example.com", active: true };
const CREATED = { ...ENDPOINT, signingSecret: "whsec_1" };
const created = responds(201, RECEIPT);
const record = responds(200, { id: "staged_1", firstName: "Ada" }, { ETag: '"v1"' });

const candidateOf = (externalId: string) => aSubmission({ externalId });

/** A client of a service that does these steps. */
async function aClientOf(steps: readonly Step[], options: Partial<ClientOptions> = {}) {
  const service = await aService(...steps);
  const client = new CandidateServiceClient({
    baseUrl: service.baseUrl,
    apiKey: "rr_dev_secret",
    ...options,
  });
  return { ...service, client };
}

const systemError = (syscall: string, code: string) =>
  Object.assign(new Error(`${syscall} ${code}`), { syscall, code });

async function failureOf(call: Promise<unknown>): Promise<CandidateServiceError> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(CandidateServiceError);
  return error as CandidateServiceError;
}

/** The message of the service's own 404 for a page of its documentation. */
async function messageOfUnknownPage(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "site-"));
  await writeFile(join(folder, "index.json"), "{}");
  try {
    return String(new Site(folder).respond("/docs/v1/candidates").statusCode);
  } catch (error) {
    return (error as Error).message;
  }
}

const register = (client: Client) =>
  client.createWebhookEndpoint({ url: "https://example.com", eventTypes: ["candidate.received"] });

// No backoff: nothing is waited for but what a test is about.
beforeEach(() => {
  vi.spyOn(Math, "random").mockReturnValue(0);
});
afterEach(() => void vi.restoreAllMocks());

describe("an operation of the client", () => {
  const oddId = "a/b#ä 1";
  const encoded = "a%2Fb%23%C3%A4%201";
  const cases: [string, (client: Client) => Promise<unknown>, string, unknown, Step, unknown][] = [
    [
      "createCandidate",
      (client) => client.createCandidate(aSubmission({ externalId: "ext-1" })),
      "POST /v1/candidates",
      aSubmission({ externalId: "ext-1" }),
      created,
      { ...RECEIPT, replayed: false },
    ],
    [
      "createCandidate of one that is there",
      (client) => client.createCandidate(aSubmission({ externalId: "ext-1" })),
      "POST /v1/candidates",
      aSubmission({ externalId: "ext-1" }),
      responds(201, RECEIPT, { "Idempotent-Replayed": "true" }),
      { ...RECEIPT, replayed: true },
    ],
    [
      "findCandidate",
      (client) => client.findCandidate(oddId),
      `GET /v1/candidates?externalId=${encoded}`,
      undefined,
      record,
      { id: "staged_1", firstName: "Ada", etag: '"v1"' },
    ],
    [
      "getCandidate",
      (client) => client.getCandidate(oddId),
      `GET /v1/candidates/${encoded}`,
      undefined,
      record,
      { id: "staged_1", firstName: "Ada", etag: '"v1"' },
    ],
    [
      "amendCandidate",
      (client) => client.amendCandidate(oddId, { headline: null }),
      `PUT /v1/candidates/${encoded}`,
      { headline: null },
      record,
      { id: "staged_1", firstName: "Ada", etag: '"v1"' },
    ],
    [
      "requestErasure",
      (client) => client.requestErasure(oddId, { externalId: "ext-1" }),
      `POST /v1/candidates/${encoded}/erasure`,
      { externalId: "ext-1" },
      responds(202),
      undefined,
    ],
    [
      "createWebhookEndpoint",
      register,
      "POST /v1/webhook-endpoints",
      { url: "https://example.com", eventTypes: ["candidate.received"] },
      responds(201, CREATED),
      CREATED,
    ],
    [
      "listWebhookEndpoints",
      (client) => client.listWebhookEndpoints(),
      "GET /v1/webhook-endpoints",
      undefined,
      responds(200, { data: [ENDPOINT] }),
      [ENDPOINT],
    ],
    [
      "getWebhookEndpoint",
      (client) => client.getWebhookEndpoint(oddId),
      `GET /v1/webhook-endpoints/${encoded}`,
      undefined,
      responds(200, ENDPOINT),
      ENDPOINT,
    ],
    [
      "deleteWebhookEndpoint",
      (client) => client.deleteWebhookEndpoint(oddId),
      `DELETE /v1/webhook-endpoints/${encoded}`,
      undefined,
      responds(204),
      undefined,
    ],
    [
      "updateWebhookEndpoint",
      (client) => client.updateWebhookEndpoint(oddId, { active: true }),
      `PATCH /v1/webhook-endpoints/${encoded}`,
      { active: true },
      responds(200, ENDPOINT),
      ENDPOINT,
    ],
    [
      "rotateSigningSecret",
      (client) => client.rotateSigningSecret(oddId),
      `POST /v1/webhook-endpoints/${encoded}/rotate-secret`,
      undefined,
      responds(200, { ...ENDPOINT, signingSecret: "whsec_2" }),
      { ...ENDPOINT, signingSecret: "whsec_2" },
    ],
    [
      "listWebhookDeliveries",
      (client) =>
        client.listWebhookDeliveries(oddId, {
          status: "failed",
          limit: 5,
          cursor: "a=",
          ...{ x: undefined },
        }),
      `GET /v1/webhook-endpoints/${encoded}/deliveries?status=failed&limit=5&cursor=a%3D`,
      undefined,
      responds(200, { data: [], nextCursor: "b" }),
      { data: [], nextCursor: "b" },
    ],
    [
      "resendWebhookDelivery",
      (client) => client.resendWebhookDelivery(oddId, oddId),
      `POST /v1/webhook-endpoints/${encoded}/deliveries/${encoded}/resend`,
      undefined,
      responds(202),
      undefined,
    ],
    [
      "applySandboxTransition",
      (client) => client.applySandboxTransition(oddId, "verify"),
      `POST /v1/sandbox/candidates/${encoded}/verify`,
      {},
      responds(204),
      undefined,
    ],
    [
      "startRecovery",
      (client) => client.startRecovery(oddId, { since: "2026-11-21T09:00:00Z" }),
      `POST /v1/webhook-endpoints/${encoded}/recoveries`,
      { since: "2026-11-21T09:00:00Z" },
      responds(202, { id: "rec_1", status: "running" }),
      { id: "rec_1", status: "running" },
    ],
    [
      "startRecovery with Dates",
      (client) =>
        client.startRecovery(oddId, {
          since: new Date("2026-11-21T09:00:00Z"),
          until: new Date(Date.UTC(2026, 10, 22)),
        }),
      `POST /v1/webhook-endpoints/${encoded}/recoveries`,
      { since: "2026-11-21T09:00:00.000Z", until: "2026-11-22T00:00:00.000Z" },
      responds(202, { id: "rec_1", status: "running" }),
      { id: "rec_1", status: "running" },
    ],
    [
      "getRecovery",
      (client) => client.getRecovery(oddId, oddId),
      `GET /v1/webhook-endpoints/${encoded}/recoveries/${encoded}`,
      undefined,
      responds(200, { id: "rec_1", status: "completed" }),
      { id: "rec_1", status: "completed" },
    ],
    [
      "testWebhookEndpoint",
      (client) => client.testWebhookEndpoint(oddId),
      `POST /v1/webhook-endpoints/${encoded}/test`,
      undefined,
      responds(202),
      undefined,
    ],
    [
      "testWebhookEndpoint",
      (client) => client.testWebhookEndpoint(oddId, { eventType: "candidate.erased" }),
      `POST /v1/webhook-endpoints/${encoded}/test?eventType=candidate.erased`,
      undefined,
      responds(202),
      undefined,
    ],
  ];

  test.each(cases)("sends one request: %s", async (_, call, line, body, step, expected) => {
    const { client, requests } = await aClientOf([step]);

    expect(await call(client)).toEqual(expected);

    const [request] = requests;
    expect(requests).toHaveLength(1);
    expect(`${request?.method} ${request?.path}`).toBe(line);
    expect(request?.body).toBe(body === undefined ? "" : JSON.stringify(body));
    expect(request?.headers["x-api-key"]).toBe("rr_dev_secret");
    expect(request?.headers["accept"]).toBe("application/json");
    expect(request?.headers["content-type"]).toBe(body === undefined ? undefined : "application/json");
  });

  test("sends the version that an amend is based on", async () => {
    const { client, requests } = await aClientOf([record]);

    const { id, etag } = await client.getCandidate("staged_1");
    await client.amendCandidate(id, { firstName: "Grace" }, { ifMatch: etag });

    expect(requests[1]?.headers["if-match"]).toBe('"v1"');
  });

  test("yields deliveries one by one, over all pages", async () => {
    const { client, requests } = await aClientOf([
      responds(200, { data: [{ eventId: "evt_3" }, { eventId: "evt_2" }], nextCursor: "next" }),
      responds(200, { data: [], nextCursor: "last" }),
      responds(200, { data: [{ eventId: "evt_1" }] }),
    ]);

    const deliveries = await Array.fromAsync(client.eachWebhookDelivery("whe_1", { status: "pending" }));

    expect(deliveries.map(({ eventId }) => eventId)).toEqual(["evt_3", "evt_2", "evt_1"]);
    expect(requests.map(({ path }) => path.split("?")[1])).toEqual([
      "status=pending",
      "status=pending&cursor=next",
      "status=pending&cursor=last",
    ]);
  });

  test("ends a list of deliveries whose cursor does not advance", async () => {
    const { client, requests } = await aClientOf([responds(200, { data: [], nextCursor: "same" })]);

    const error = await failureOf(Array.fromAsync(client.eachWebhookDelivery("whe_1")));

    expect(error.code).toBe("unexpected_response");
    expect(requests).toHaveLength(2);
  });

  test("accepts a base URL with a path and a trailing slash, as text or a URL", async () => {
    const { baseUrl, requests } = await aService(record);
    const address = `${baseUrl}/stage/`;

    for (const given of [address, new URL(address)]) {
      await new CandidateServiceClient({ baseUrl: given, apiKey: "k" }).getCandidate("staged_1");
    }

    const path = "/stage/v1/candidates/staged_1";
    expect(requests.map((request) => request.path)).toEqual([path, path]);
  });
});

describe("a failed call of the client", () => {
  test("throws the envelope's code and message, the status and the request id, and is not retried", async () => {
    const { client, requests } = await aClientOf([refuses(400, "invalid_request")]);

    const error = await failureOf(client.createCandidate(aSubmission()));

    expect(error).toMatchObject({
      name: "CandidateServiceError",
      code: "invalid_request",
      message: "Message of invalid_request.",
      status: 400,
      requestId: "req-1",
      attempts: 1,
    });
    expect(requests).toHaveLength(1);
  });

  test("throws connection_failed if nothing listens", async () => {
    const client = new CandidateServiceClient({ baseUrl: "http://127.0.0.1:9", apiKey: "k", retries: 1 });

    const error = await failureOf(client.getCandidate("staged_1"));

    expect(error).toMatchObject({ code: "connection_failed", status: undefined, attempts: 2 });
    expect(error.cause).toBeInstanceOf(Error);
  });

  test.each(["127.0.0.1", "localhost"])("prints host, port and the system's code: %s", async (name) => {
    const host = `${name}:${await aClosedPort()}`;
    const client = new CandidateServiceClient({ baseUrl: `http://${host}`, apiKey: "k", retries: 0 });

    const error = await failureOf(client.getCandidate("staged_1"));

    expect(`${error}`).toContain(
      `${host} could not be reached, or the connection was lost: connect ECONNREFUSED`,
    );
    expect(inspect(error)).toContain("connect ECONNREFUSED 127.0.0.1");
  });

  test("prints a name that has no address", async () => {
    const client = new CandidateServiceClient({
      baseUrl: "https://nowhere.invalid",
      apiKey: "k",
      retries: 0,
    });

    expect(`${await failureOf(client.getCandidate("staged_1"))}`).toMatch(
      /nowhere\.invalid:443 .*: getaddrinfo (?:ENOTFOUND|EAI_AGAIN) nowhere\.invalid\.$/,
    );
  });

  test("prints the cause of a lost connection", async () => {
    const { client, baseUrl } = await aClientOf([breaks], { retries: 0 });

    expect(`${await failureOf(client.getCandidate("staged_1"))}`).toBe(
      `CandidateServiceError: ${baseUrl.slice("http://".length)} could not be reached, or the connection was lost: UND_ERR_SOCKET: other side closed.`,
    );
  });

  test("prints the cause for each address of a name that has several", async () => {
    const refused = ["::1", "127.0.0.1"].map((address) =>
      Object.assign(new Error(`connect ECONNREFUSED ${address}:3000`), { code: "ECONNREFUSED" }),
    );
    const cause = Object.assign(new AggregateError(refused), { code: "ECONNREFUSED" });
    const fetch = () => Promise.reject(new TypeError("fetch failed", { cause }));
    const client = new CandidateServiceClient({ baseUrl: "https://host", apiKey: "k", retries: 0, fetch });

    expect((await failureOf(client.getCandidate("staged_1"))).message).toMatch(
      /^host:443 .*: connect ECONNREFUSED ::1:3000, connect ECONNREFUSED 127\.0\.0\.1:3000\.$/,
    );
  });

  test("does not print what another runtime's error says, which may contain the externalId", async () => {
    const fetch = () =>
      Promise.reject(new TypeError("to http://h/v1/candidates?externalId=ada@example.com: refused"));
    const client = new CandidateServiceClient({
      baseUrl: "http://localhost",
      apiKey: "k",
      retries: 0,
      fetch,
    });

    expect(`${await failureOf(client.findCandidate("ada@example.com"))}`).toMatch(
      /localhost:80 .*: see the cause\.$/,
    );
  });

  test.each([
    [
      "error sending request for url (https://host/v1/candidates?externalId=a(b)@example.com): client error (Connect): tcp connect error: Connection refused (os error 111)",
      "client error (Connect): tcp connect error: Connection refused (os error 111).",
    ],
    [
      "error sending request from 127.0.0.1:43820 for https://host/v1/candidates?externalId=a(b)@example.com (127.0.0.1:443): client error (SendRequest): connection closed before message completed",
      "client error (SendRequest): connection closed before message completed.",
    ],
  ])("prints the reason in Deno's error, but not the URL before it: %s", async (message, reason) => {
    const cause = new Error(message);
    const client = new CandidateServiceClient({
      baseUrl: "https://host",
      apiKey: "k",
      retries: 0,
      fetch: () => Promise.reject(new TypeError("fetch failed", { cause })),
    });

    expect((await failureOf(client.findCandidate("a(b)@example.com"))).message).toBe(
      `host:443 could not be reached, or the connection was lost: ${reason}`,
    );
  });

  test("prints the cause of an error of another realm, as fetch throws it in Jest's tests", async () => {
    const failure = runInNewContext(
      `new TypeError("fetch failed", { cause: Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:1"), { code: "ECONNREFUSED" }) })`,
    );
    const client = new CandidateServiceClient({
      baseUrl: "https://host",
      apiKey: "k",
      retries: 0,
      fetch: () => Promise.reject(failure),
    });

    expect((await failureOf(client.getCandidate("staged_1"))).message).toMatch(
      /: connect ECONNREFUSED 127\.0\.0\.1:1\.$/,
    );
  });

  test.each(["Is the URL right?", "It is not.", "ssl3_get_record.c:350:\n"])(
    "ends the message with one full stop if the cause ends otherwise: %j",
    async (reason) => {
      const client = new CandidateServiceClient({
        baseUrl: "https://host",
        apiKey: "k",
        retries: 0,
        fetch: () => Promise.reject(new TypeError("fetch failed", { cause: new Error(reason) })),
      });

      expect((await failureOf(client.getCandidate("staged_1"))).message).toMatch(/\w\.$/);
    },
  );

  test("throws timeout if no response arrives in time", async () => {
    const { client, requests } = await aClientOf([hangs], { timeoutMs: 200, retries: 1 });

    expect(await failureOf(client.getCandidate("staged_1"))).toMatchObject({
      code: "timeout",
      status: undefined,
      attempts: 2,
    });
    expect(requests).toHaveLength(2);
  });

  test.each<[string, Step]>([
    ["a page of HTML", (response) => response.writeHead(200).end("<html>")],
    ["an error of a proxy", (response) => response.writeHead(418).end("no")],
    ["a redirect", (response) => response.writeHead(307, { Location: "https://example.com/" }).end()],
    ["a record without its ETag", responds(200, { id: "staged_1" })],
    ["no body", responds(200, undefined, { ETag: '"v1"' })],
    ["a list", responds(200, [], { ETag: '"v1"' })],
  ])("throws unexpected_response if the response is not the service's: %s", async (_, step) => {
    const { client, requests } = await aClientOf([step]);

    expect(await failureOf(client.getCandidate("staged_1"))).toMatchObject({
      code: "unexpected_response",
      status: expect.any(Number),
      attempts: 1,
    });
    expect(requests).toHaveLength(1);
  });

  const unknownPaths: [string, () => string | Promise<string>][] = [
    ["an API path", () => GATEWAY_MESSAGES.not_found],
    ["a page of the documentation", messageOfUnknownPage],
  ];
  test.each(unknownPaths)(
    "throws unexpected_response, not not_found, if the service does not have the path: %s",
    async (_, message) => {
      const unknown = responds(404, { error: "not_found", message: await message() });
      const { client, requests, baseUrl } = await aClientOf([unknown]);

      const { host } = new URL(baseUrl);
      for (const call of [
        () => client.findCandidate("ext-1"),
        () => client.getCandidate("staged_1"),
        () => client.deleteWebhookEndpoint("whe_1"),
      ]) {
        expect(await failureOf(call())).toMatchObject({
          code: "unexpected_response",
          message: `${host} does not have the operation's path (status code 404). Check baseUrl: the base address of the environment is expected, such as https://api.example.com.`,
          status: 404,
          requestId: "req-1",
          attempts: 1,
        });
      }
      expect(requests).toHaveLength(3);
    },
  );

  test("does not treat a delete as done if the path of its retry is unknown", async () => {
    const unknown = responds(404, { error: "not_found", message: GATEWAY_MESSAGES.not_found });
    const { client } = await aClientOf([breaks, unknown]);

    expect(await failureOf(client.deleteWebhookEndpoint("whe_1"))).toMatchObject({
      code: "unexpected_response",
    });
  });

  test("throws not_found for a transition in an environment without sandbox, which lacks the path", async () => {
    const unknown = responds(404, { error: "not_found", message: GATEWAY_MESSAGES.not_found });
    const { client } = await aClientOf([unknown]);

    expect(await failureOf(client.applySandboxTransition("staged_1", "verify"))).toMatchObject({
      code: "not_found",
    });
  });

  test.each<[string, (client: CandidateServiceClient) => Promise<unknown>, number]>([
    ["requestErasure", (client) => client.requestErasure("s", { externalId: "e" }), 202],
    ["deleteWebhookEndpoint", (client) => client.deleteWebhookEndpoint("whe_1"), 204],
    ["testWebhookEndpoint", (client) => client.testWebhookEndpoint("whe_1"), 202],
    ["resendWebhookDelivery", (client) => client.resendWebhookDelivery("whe_1", "evt_1"), 202],
    ["applySandboxTransition", (client) => client.applySandboxTransition("s", "erase"), 204],
  ])("throws unexpected_response if the success of %s is not the service's", async (_, call, status) => {
    const { client } = await aClientOf([responds(200, { status: "ok" }), responds(status)]);

    expect(await failureOf(call(client))).toMatchObject({ code: "unexpected_response", status: 200 });
    await expect(call(client)).resolves.toBeUndefined();
  });

  test.each<[string, (client: CandidateServiceClient) => Promise<unknown>, Step]>([
    ["createWebhookEndpoint", register, responds(201, ENDPOINT)],
    ["rotateSigningSecret", (client) => client.rotateSigningSecret("whe_1"), responds(200, ENDPOINT)],
    ["getWebhookEndpoint", (client) => client.getWebhookEndpoint("whe_1"), responds(200, { status: "ok" })],
    [
      "startRecovery",
      (client) => client.startRecovery("whe_1", { since: "2026-01-01T00:00:00Z" }),
      responds(202, {}),
    ],
  ])("throws unexpected_response if %s lacks a member that callers need", async (_, call, step) => {
    const { client } = await aClientOf([step]);

    expect(await failureOf(call(client))).toMatchObject({ code: "unexpected_response" });
  });

  test.each([
    [200, "200 instead of 201"],
    [204, "204 instead of 201"],
    [201, "201"],
    [502, "502"],
  ])("says which status code is expected if a success has another one: %i", async (status, words) => {
    const { client } = await aClientOf(
      [(response) => response.writeHead(status).end(status === 201 ? "<p>" : "")],
      { retries: 0 },
    );

    expect((await failureOf(client.createCandidate(aSubmission()))).message).toContain(
      `(status code ${words}) did not`,
    );
  });

  test("throws unexpected_response if a list is missing", async () => {
    const { client } = await aClientOf([responds(200, {})]);

    for (const call of [client.listWebhookEndpoints(), client.listWebhookDeliveries("whe_1")]) {
      expect((await failureOf(call)).message).toContain("no valid member data");
    }
  });

  test("returns the results of a batch, with members that later versions add", async () => {
    const received = { ...RESULT, added: true };
    const refused = { externalId: null, status: 400, error: "invalid_request", message: "" };
    const results = [received, refused, { ...refused, externalId: "ext-3", status: 503 }];
    const { client } = await aClientOf([responds(200, { results })]);

    expect(await client.createCandidateBatch(["ext-1", "ext-2", "ext-3"].map(candidateOf))).toEqual({
      results,
    });
  });

  test.each<[string, unknown]>([
    ["an empty object", {}],
    ["null", null],
    ["results that are no list", { results: {} }],
    ["fewer results than candidates", { results: [] }],
    ["more results than candidates", { results: [RESULT, RESULT] }],
    ["a result that is null", { results: [null] }],
    ["an acknowledgement alone", { results: [{ externalId: "ext-1", status: 201 }] }],
    ["an acknowledgement without stagedId", { results: [{ ...RESULT, stagedId: undefined }] }],
    ["an acknowledgement without receivedAt", { results: [{ ...RESULT, receivedAt: 1 }] }],
    [
      "an acknowledgement that does not say whether it is a repetition",
      { results: [{ ...RESULT, replayed: null }] },
    ],
    ["an acknowledgement of no candidate", { results: [{ ...RESULT, externalId: null }] }],
    ["an acknowledgement of another candidate", { results: [{ ...RESULT, externalId: "ext-2" }] }],
    ["an acknowledgement that is a refusal too", { results: [{ ...RESULT, error: "invalid_request" }] }],
    ["a status that is text", { results: [{ ...RESULT, status: "201" }] }],
    ["a refusal with status 200", { results: [{ ...REFUSAL, status: 200 }] }],
    ["a refusal with a stagedId", { results: [{ ...REFUSAL, stagedId: "staged_1" }] }],
    ["a refusal of another candidate", { results: [{ ...REFUSAL, externalId: "ext-2" }] }],
    ["a refusal without a code", { results: [{ ...REFUSAL, error: undefined }] }],
    ["a refusal without a message", { results: [{ ...REFUSAL, message: undefined }] }],
  ])("throws unexpected_response if the response to a batch is not the service's: %s", async (_, body) => {
    const { client } = await aClientOf([responds(200, body)]);

    expect(await failureOf(client.createCandidateBatch([candidateOf("ext-1")]))).toMatchObject({
      code: "unexpected_response",
      status: 200,
    });
  });

  test.each(["stagedId", "receivedAt"])(
    "throws unexpected_response if a receipt has no %s",
    async (member) => {
      const { client } = await aClientOf([responds(201, { ...RECEIPT, [member]: undefined })]);

      expect(await failureOf(client.createCandidate(aSubmission()))).toMatchObject({
        code: "unexpected_response",
      });
    },
  );

  test.each([200, 400])(
    "receives at most 10 MiB of a response, the most that the service can send (%i)",
    async (status) => {
      let sent = 0;
      const endless: Step = (response) => {
        response.writeHead(status, { ETag: '"v1"' });
        const chunk = Buffer.alloc(1024 * 1024, " ");
        const more = () => {
          sent += chunk.length;
          if (!response.destroyed) response.write(chunk, more);
        };
        more();
      };
      const { client, requests } = await aClientOf([endless]);

      const error = await failureOf(client.getCandidate("staged_1"));

      expect(error).toMatchObject({ code: "unexpected_response", status });
      expect(error.message).toContain("larger than 10485760 bytes, which the service never sends");
      expect(sent).toBeLessThan(100 * 1024 * 1024);
      expect(requests).toHaveLength(1);
    },
  );

  test("accepts a response of 10 MiB in characters of several bytes", async () => {
    const bytes = 10 * 1024 * 1024 - '{"summary":""}'.length;
    const summary = "€".repeat(bytes / 3) + "x".repeat(bytes % 3);
    const { client } = await aClientOf([responds(200, { summary }, { ETag: '"v1"' })]);

    expect((await client.getCandidate("staged_1")).summary === summary).toBe(true);
  });

  test("throws an error that does not contain the API key", async () => {
    expect(
      () => new CandidateServiceClient({ baseUrl: "http://localhost", apiKey: "rr_dev_sec\nret" }),
    ).toThrow(expect.objectContaining({ message: expect.not.stringContaining("sec") }));
    expect(() => new CandidateServiceClient({ baseUrl: "localhost:3000", apiKey: "k" })).toThrow(TypeError);
    for (const user of ["me:s3cret", ":s3cret", "s3cret"]) {
      expect(() => new CandidateServiceClient({ baseUrl: `http://${user}@localhost`, apiKey: "k" })).toThrow(
        "baseUrl: a URL without user name or password is expected",
      );
    }
  });
});

describe("the client", () => {
  test.each([
    "http://api.example.com",
    "http://10.0.0.1:3000",
    "http://localhost.example.com",
    "http://notlocalhost",
    "http://127.0.0.1.example.com",
    "http://[::2]",
  ])("sends nothing unencrypted to another machine: %s", (baseUrl) => {
    expect(() => new CandidateServiceClient({ baseUrl, apiKey: "k" })).toThrow(/^baseUrl: https is expected/);
  });

  test.each([
    "http://localhost:3000",
    "http://LOCALHOST",
    "http://api.localhost",
    "http://127.1:80",
    "http://127.10.20.30",
    "http://[::1]",
    "https://10.0.0.1",
  ])("accepts this machine, and any other with https: %s", (baseUrl) => {
    expect(() => new CandidateServiceClient({ baseUrl, apiKey: "k" })).not.toThrow();
  });

  const milliseconds = "timeoutMs: a number of milliseconds from 1 to 2147483647 is expected";
  const count = "retries: a whole number, 0 or more, is expected";
  test.each<[object, string]>([
    ...[0, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31, null, "1000"].map(
      (timeoutMs): [object, string] => [{ timeoutMs }, milliseconds],
    ),
    ...[-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, null, "2"].map((retries): [object, string] => [
      { retries },
      count,
    ]),
    [{ apiKey: undefined }, "apiKey: visible ASCII characters are expected"],
    [
      { baseUrl: new URL("https://localhost/?stage=1") },
      "baseUrl: an absolute http or https URL without query, fragment or spaces is expected",
    ],
    [
      { baseUrl: "https://api.example.com/development/v1/" },
      "baseUrl: the address without /v1 is expected, which the client adds",
    ],
    [
      { timeout: 1_000 },
      "options: the client has no option timeout; expected are baseUrl, apiKey, timeoutMs, retries, onRetry, stopRetries, fetch",
    ],
    [{ onRetry: "log" }, "onRetry: a function is expected"],
    [{ fetch: null }, "fetch: a function is expected"],
    [{ stopRetries: new AbortController() }, "stopRetries: an AbortSignal is expected"],
  ])("refuses the options %o with a message that names what is expected", (options, message) => {
    const given = { baseUrl: "https://localhost", apiKey: "k", ...options } as ClientOptions;

    expect(() => new CandidateServiceClient(given)).toThrow(new TypeError(message));
  });

  test.each([undefined, null, "https://localhost"])("refuses %o instead of the options", (options) => {
    expect(() => new CandidateServiceClient(options as never)).toThrow(
      new TypeError("options: an object is expected"),
    );
  });

  test.each([
    { timeoutMs: 1 },
    { timeoutMs: 2 ** 31 - 1 },
    { retries: 0 },
    { timeoutMs: undefined, retries: undefined },
    { onRetry: () => {}, stopRetries: AbortSignal.abort(), fetch: globalThis.fetch },
  ])("accepts the options %o", (options) => {
    expect(
      () => new CandidateServiceClient({ baseUrl: "https://localhost", apiKey: "k", ...options }),
    ).not.toThrow();
  });

  test.each(["", ".", ".."])("refuses the id %j, which would make the path another one", async (id) => {
    const { client, requests } = await aClientOf([]);

    await expect(client.getWebhookEndpoint(id)).rejects.toThrow(TypeError);
    await expect(client.getRecovery("whe_1", id)).rejects.toThrow(/^recoveryId: a text .* is expected$/);
    expect(requests).toEqual([]);
  });

  const noText = (name: string) => `${name}: a text of at least one character is expected`;
  test.each([undefined, null, "", 7, {}, ["ext-1"]])(
    "sends no request for %j instead of a text",
    async (value) => {
      const { client, requests } = await aClientOf([record]);
      const given = value as never;
      const calls: [string, () => Promise<unknown>][] = [
        ["externalId", () => client.findCandidate(given)],
        ["id", () => client.getCandidate(given)],
        ["eventId", () => client.resendWebhookDelivery("whe_1", given)],
        ["transition", () => client.applySandboxTransition("staged_1", given)],
      ];

      for (const [name, call] of calls) await expect(call()).rejects.toThrow(new TypeError(noText(name)));
      expect(requests).toEqual([]);
    },
  );

  const odd = { not: "a text" };
  test.each<[string, (client: Client) => Promise<unknown>]>([
    [noText("eventType"), (client) => client.testWebhookEndpoint("whe_1", { eventType: odd as never })],
    [
      "candidates: a list of candidates is expected",
      (client) => client.createCandidateBatch("ext-1" as never),
    ],
    [
      "candidates: a list of candidates is expected",
      (client) => client.createCandidateBatch([null as never]),
    ],
    ...[undefined, null, "", 7, '"v1é"'].map((ifMatch): [string, (client: Client) => Promise<unknown>] => [
      "ifMatch: the etag of a record is expected; omit it to amend any version",
      (client) => client.amendCandidate("staged_1", {}, { ifMatch: ifMatch as never }),
    ]),
    [
      "options: this call has no option ifmatch",
      (client) => client.amendCandidate("staged_1", {}, { ifmatch: '"v1"' } as never),
    ],
    [
      "options: this call has no option path",
      (client) => client.getCandidate("staged_1", { path: "/v1/candidates/staged_2" } as never),
    ],
    ["options: an object is expected", (client) => client.getCandidate("staged_1", null as never)],
    ["options: an object is expected", (client) => client.amendCandidate("staged_1", {}, null as never)],
    ["options: an object is expected", (client) => client.testWebhookEndpoint("whe_1", null as never)],
    [
      "options: pass the signal as { signal }",
      (client) => client.testWebhookEndpoint("whe_1", AbortSignal.timeout(1_000) as never),
    ],
    [
      "options: pass the signal as { signal }",
      (client) => client.listWebhookEndpoints(AbortSignal.timeout(1_000) as never),
    ],
    [
      "options: this call has no option abort",
      (client) => Array.fromAsync(client.events({}, { abort: new AbortController().signal } as never)),
    ],
    [
      "signal: an AbortSignal is expected",
      (client) => client.getCandidate("staged_1", { signal: new AbortController() as never }),
    ],
    ["id: half of a surrogate pair cannot be sent", (client) => client.getCandidate("\ud83d")],
    ...[undefined, "", 1_795_338_000, new Date("never")].map(
      (since): [string, (client: Client) => Promise<unknown>] => [
        "since: an RFC 3339 date-time or a valid Date is expected",
        (client) => client.startRecovery("whe_1", { since: since as never }),
      ],
    ),
    [
      "until: an RFC 3339 date-time or a valid Date is expected",
      (client) => client.startRecovery("whe_1", { since: new Date(0), until: new Date("never") }),
    ],
    ["query: an object is expected", (client) => client.listWebhookDeliveries("whe_1", "failed" as never)],
    [
      "status: a status is expected",
      (client) => client.listWebhookDeliveries("whe_1", { status: odd as never }),
    ],
    [
      "cursor: the nextCursor of an earlier page is expected",
      (client) => client.listWebhookDeliveries("whe_1", { cursor: null as never }),
    ],
    [
      "query: it has no member cursor; expected are status, limit",
      (client) => Array.fromAsync(client.eachWebhookDelivery("whe_1", { cursor: "a=" } as never)),
    ],
  ])("sends no request with a wrong argument: %s", async (message, call) => {
    const { client, requests } = await aClientOf([record]);

    await expect(call(client)).rejects.toThrow(new TypeError(message));
    expect(requests).toEqual([]);
  });

  const circular = (body: object) => Object.assign(body, { itself: body });
  const failing = () => {
    throw new Error("ada@example.com");
  };
  test.each<[string, unknown, string]>([
    ["refers to itself", circular({}), "it contains an object that refers to itself"],
    ["contains a BigInt", { skills: [1n] }, "it contains a BigInt; pass a number or a text instead"],
    ["has a toJSON that fails", { toJSON: failing }, "see the cause"],
  ])("sends no request if the body %s", async (_, body, fault) => {
    const { client, requests } = await aClientOf([created]);

    const error = await client.createCandidate(body as never).catch((thrown: unknown) => thrown);

    expect(error).toEqual(new TypeError(`body: it cannot be converted to JSON: ${fault}`));
    expect(error).toMatchObject({ cause: expect.any(Error) });
    expect(requests).toEqual([]);
  });

  test.each([undefined, null, "text", 1, []])(
    "sends no request if the body is no object: %j",
    async (body) => {
      const { client, requests } = await aClientOf([created]);

      const given = body as never;
      const calls = [
        () => client.createCandidate(given),
        () => client.createWebhookEndpoint(given),
        () => client.amendCandidate("staged_1", given),
        () => client.requestErasure("staged_1", given),
        () => client.startRecovery("whe_1", given),
      ];
      for (const call of calls) {
        await expect(call()).rejects.toThrow(new TypeError("body: an object is expected"));
      }
      expect(requests).toEqual([]);
    },
  );

  test.each([500, 502, 503, 504])("retries a call after a %i", async (status) => {
    const { client, requests } = await aClientOf([refuses(status, "passing"), created]);

    await client.createCandidate(aSubmission());

    expect(requests).toHaveLength(2);
    expect(requests[1]).toMatchObject({ body: requests[0]?.body });
  });

  test.each<[string, Step]>([
    ["a broken connection", breaks],
    ["silence", hangs],
    ["a proxy's page", (response) => response.writeHead(502).end("<html>")],
  ])("retries a call after %s", async (_, step) => {
    const { client, requests } = await aClientOf([step, record], { timeoutMs: 1000 });

    await client.amendCandidate("staged_1", { firstName: "Grace" });

    expect(requests).toHaveLength(2);
  });

  test("retries a call after a 429 and the time in Retry-After", async () => {
    const seen = vi.fn();
    const { client, requests } = await aClientOf(
      [refuses(429, "rate_limited", { "Retry-After": "1" }), created],
      { onRetry: seen },
    );
    const startedAt = performance.now();

    await client.createCandidate(aSubmission());

    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(990);
    expect(requests).toHaveLength(2);
    expect(seen).toHaveBeenCalledExactlyOnceWith({
      error: expect.objectContaining({ code: "rate_limited", retryAfterMs: 1000 }),
      waitMs: expect.any(Number),
    });
  });

  test("retries as often as configured, then throws the last failure", async () => {
    const { client, requests } = await aClientOf([refuses(503, "service_unavailable")], { retries: 2 });

    expect(await failureOf(client.getCandidate("staged_1"))).toMatchObject({
      code: "service_unavailable",
      attempts: 3,
    });
    expect(requests).toHaveLength(3);
  });

  test("does not retry if Retry-After exceeds a minute, and throws", async () => {
    const { client, requests } = await aClientOf([refuses(429, "rate_limited", { "Retry-After": "3600" })]);

    expect(await failureOf(client.getCandidate("staged_1"))).toMatchObject({ retryAfterMs: 3_600_000 });
    expect(requests).toHaveLength(1);
  });

  test.each<[string, Step]>([
    ["a broken connection", breaks],
    ["silence", hangs],
    ["a 500", refuses(500, "internal_error")],
  ])(
    "does not retry calls that are harmful to repeat, such as registering and rotating, after %s",
    async (_, step) => {
      const { client, requests } = await aClientOf([step], { timeoutMs: 2_000 });

      await Promise.all([
        failureOf(register(client)),
        failureOf(client.rotateSigningSecret("whe_1")),
        failureOf(client.testWebhookEndpoint("whe_1")),
        failureOf(client.resendWebhookDelivery("whe_1", "evt_1")),
        failureOf(client.startRecovery("whe_1", { since: "2026-11-21T09:00:00Z" })),
      ]);

      expect(requests).toHaveLength(5);
    },
  );

  test("retries a call that is harmful to repeat if it was refused before anything was done", async () => {
    const { client, requests } = await aClientOf([refuses(429, "rate_limited"), responds(201, CREATED)]);

    expect(await register(client)).toEqual(CREATED);
    expect(requests).toHaveLength(2);
  });

  test("treats a delete as done if its first response was lost and the retry gets a 404", async () => {
    const { client } = await aClientOf([breaks, refuses(404, "not_found")]);

    await expect(client.deleteWebhookEndpoint("whe_1")).resolves.toBeUndefined();
    expect(await failureOf(client.deleteWebhookEndpoint("whe_1"))).toMatchObject({ code: "not_found" });
  });

  test("treats an erasure as done if its first response was lost and the retry gets a 404", async () => {
    const { client } = await aClientOf([breaks, refuses(404, "not_found")]);
    const erase = () => client.requestErasure("staged_1", { externalId: "ext-1" });

    await expect(erase()).resolves.toBeUndefined();
    expect(await failureOf(erase())).toMatchObject({ code: "not_found" });
  });

  test("treats no removal as done if it was refused before anything was done, and the retry gets a 404", async () => {
    const { client } = await aClientOf([
      refuses(429, "rate_limited"),
      refuses(404, "not_found"),
      refuses(429, "rate_limited"),
      refuses(404, "not_found"),
    ]);

    const erasure = client.requestErasure("staged_wrong", { externalId: "ext-1" });
    expect(await failureOf(erasure)).toMatchObject({ code: "not_found", attempts: 2 });
    expect(await failureOf(client.deleteWebhookEndpoint("whe_wrong"))).toMatchObject({ code: "not_found" });
  });

  test("treats a removal as done if its first response was lost, and the retries get a 429 and a 404", async () => {
    const { client } = await aClientOf([breaks, refuses(429, "rate_limited"), refuses(404, "not_found")]);

    await expect(client.deleteWebhookEndpoint("whe_1")).resolves.toBeUndefined();
  });

  test.each([
    ["a name without an address", systemError("getaddrinfo", "EAI_AGAIN")],
    ["a refused connection", systemError("connect", "ECONNREFUSED")],
    [
      "two addresses without a connection",
      new AggregateError([systemError("connect", "ETIMEDOUT"), systemError("connect", "ECONNREFUSED")]),
    ],
    ["a connection that takes too long", Object.assign(new Error(), { code: "UND_ERR_CONNECT_TIMEOUT" })],
    ["a connection that Bun cannot make", Object.assign(new Error(), { code: "ECONNREFUSED" })],
    [
      "a connection that Deno cannot make",
      new Error("error sending request for url (https://host/): client error (Connect): dns error"),
    ],
    [
      "an error of another realm",
      runInNewContext(`Object.assign(new Error("connect"), { syscall: "connect", code: "ECONNREFUSED" })`),
    ],
  ])(
    "treats no removal as done if %s kept it from being sent, and the retry gets a 404",
    async (_what, cause) => {
      const failure = new TypeError("fetch failed", { cause });
      const fetch = vi
        .fn<typeof globalThis.fetch>(globalThis.fetch)
        .mockImplementationOnce(() => Promise.reject(failure));
      const { client } = await aClientOf([refuses(404, "not_found")], { fetch });

      expect(await failureOf(client.deleteWebhookEndpoint("whe_wrong"))).toMatchObject({
        code: "not_found",
        attempts: 2,
      });
    },
  );
});

test.each([
  ["a read that timed out", systemError("read", "ETIMEDOUT")],
  ["no error of any address", new AggregateError([])],
  [
    "one address without a connection and one with a broken one",
    new AggregateError([systemError("connect", "ECONNREFUSED"), systemError("read", "ECONNRESET")]),
  ],
])("the client treats a removal as done after %s and a 404", async (_what, cause) => {
  const fetch = vi
    .fn<typeof globalThis.fetch>(globalThis.fetch)
    .mockImplementationOnce(() => Promise.reject(new TypeError("fetch failed", { cause })));
  const { client } = await aClientOf([refuses(404, "not_found")], { fetch });

  await expect(client.deleteWebhookEndpoint("whe_1")).resolves.toBeUndefined();
});

describe("a client whose retries are stopped", () => {
  test("ends a wait with the error of the attempt before it", async () => {
    const stopping = new AbortController();
    const { client, requests } = await aClientOf(
      [refuses(429, "rate_limited", { "Retry-After": "30" }), created],
      { onRetry: () => setImmediate(() => stopping.abort()), stopRetries: stopping.signal },
    );

    expect(await failureOf(client.createCandidate(aSubmission()))).toMatchObject({ code: "rate_limited" });
    expect(requests).toHaveLength(1);
    expect(getEventListeners(stopping.signal, "abort")).toEqual([]);
  }, 10_000);

  test("finishes attempts in progress, and repeats none that fails", async () => {
    const stopping = new AbortController();
    const retried = vi.fn();
    const afterStop =
      (step: Step): Step =>
      (...exchange) => {
        stopping.abort();
        step(...exchange);
      };
    const { client, requests } = await aClientOf([afterStop(record), refuses(503, "service_unavailable")], {
      onRetry: retried,
      stopRetries: stopping.signal,
    });

    expect(await client.getCandidate("staged_1")).toMatchObject({ firstName: "Ada" });
    expect(await failureOf(client.getCandidate("staged_1"))).toMatchObject({ code: "service_unavailable" });
    expect(requests).toHaveLength(2);
    expect(retried).not.toHaveBeenCalled();
  });
});

describe("a call of the client can be cancelled", () => {
  test("before it begins", async () => {
    const { client, requests } = await aClientOf([created]);

    const call = client.createCandidate(aSubmission(), { signal: AbortSignal.abort("changed my mind") });

    await expect(call).rejects.toBe("changed my mind");
    expect(requests).toHaveLength(0);
  });

  test("while the service does not respond", async () => {
    const reason = new Error("leaving");
    const controller = new AbortController();
    const { client, requests } = await aClientOf([() => controller.abort(reason)]);

    await expect(client.getCandidate("staged_1", { signal: controller.signal })).rejects.toBe(reason);
    expect(requests).toHaveLength(1);
  });

  test("while it waits for a retry", async () => {
    const controller = new AbortController();
    const { client, requests } = await aClientOf(
      [refuses(429, "rate_limited", { "Retry-After": "30" }), created],
      { onRetry: () => setImmediate(() => controller.abort()) },
    );

    const call = client.createCandidate(aSubmission(), { signal: controller.signal });

    await expect(call).rejects.toMatchObject({ name: "AbortError" });
    expect(requests).toHaveLength(1);
  }, 10_000);

  test("by a long-lived signal that keeps no listener afterwards", async () => {
    const controller = new AbortController();
    const { client } = await aClientOf([refuses(500, "internal_error"), record]);

    await client.getCandidate("staged_1", { signal: controller.signal });

    expect(getEventListeners(controller.signal, "abort")).toEqual([]);
  });

  test("in parallel by one signal, which has one listener while they wait for responses and for retries", async () => {
    const controller = new AbortController();
    const stopping = new AbortController();
    const listeners = () => getEventListeners(controller.signal, "abort").length;
    const atRequest: number[] = [];
    const { client } = await aClientOf([refuses(429, "rate_limited", { "Retry-After": "30" })], {
      stopRetries: stopping.signal,
      fetch: (...request) => {
        atRequest.push(listeners());
        return fetch(...request);
      },
    });

    const calls = Array.from({ length: 12 }, () => client.listEvents({}, { signal: controller.signal }));
    const outcomes = Promise.allSettled(calls);
    await vi.waitFor(() => expect(getEventListeners(stopping.signal, "abort")).toHaveLength(1));
    controller.abort(new Error("leaving"));

    for (const outcome of await outcomes) expect(outcome).toMatchObject({ reason: { message: "leaving" } });
    expect(new Set(atRequest)).toEqual(new Set([1]));
    expect(listeners()).toBe(0);
    expect(getEventListeners(stopping.signal, "abort")).toEqual([]);
  });
});
