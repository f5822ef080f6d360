import { describe, expect, onTestFinished, test, vi } from "vitest";
import {
  CandidateServiceClient,
  type CandidateServiceClient as Client,
  type DeliveriesQuery,
} from "../../client/src/index.ts";
import { operations } from "../../client/src/operations.ts";
import { aSubmission } from "../builders/submission.ts";
import {
  aClientOf,
  CREATED_ENDPOINT,
  created,
  ENDPOINT,
  failureOf,
  RECEIPT,
  record,
  register,
  retryWithoutBackoff,
} from "./scripted-client.ts";
import { aService, responds, type Step } from "./scripted-service.ts";

retryWithoutBackoff();

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
      "createCandidateBatch",
      (client) => client.createCandidateBatch([aSubmission({ externalId: "ext-1" })]),
      "POST /v1/candidate-batches",
      { candidates: [aSubmission({ externalId: "ext-1" })] },
      responds(200, { results: [{ ...RECEIPT, status: 201, replayed: false }] }),
      { results: [{ ...RECEIPT, status: 201, replayed: false }] },
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
      responds(201, CREATED_ENDPOINT),
      CREATED_ENDPOINT,
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
    [
      "listEvents",
      (client) => client.listEvents({ types: ["candidate.erased"], limit: 1 }),
      "GET /v1/events?types=candidate.erased&limit=1",
      undefined,
      responds(200, { data: [], nextCursor: "next", hasMore: false }),
      { data: [], nextCursor: "next", hasMore: false },
    ],
  ];

  test("has a case in the table", () => {
    const called = new Set(cases.map(([name]) => name));

    expect(Object.keys(operations).filter((operationId) => !called.has(operationId))).toEqual([]);
  });

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

  test.each<[string, DeliveriesQuery, object]>([
    ["reads on with a filter", { status: "failed" }, { value: { eventId: "evt_1" } }],
    ["ends without one", {}, { code: "unexpected_response" }],
  ])("after a thousand empty pages of deliveries %s", async (_what, query, expected) => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    let page = 0;
    const fetch = async () => {
      page += 1;
      const data = page > 1_000 ? [{ eventId: "evt_1" }] : [];
      return Response.json({ data, nextCursor: String(page) });
    };
    const client = new CandidateServiceClient({ baseUrl: "https://deliveries", apiKey: "k", fetch });

    const first = client
      .eachWebhookDelivery("whe_1", query)
      .next()
      .catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(100_000);

    expect(await first).toMatchObject(expected);
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
