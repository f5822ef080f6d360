import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { WebhookEndpoint } from "#contract/webhook-endpoint";
import { anIntegrator, CONTRACT_TYPES, registered, UNKNOWN_ENDPOINT_ID } from "./webhook-client.ts";

const URL = "https://hooks.example.com/candidates";

describe("registering an endpoint", () => {
  /** An integrator whose registrations are all refused. */
  let refused: Awaited<ReturnType<typeof anIntegrator>>;
  beforeAll(async () => {
    refused = await anIntegrator();
  });

  test("returns it with its signing secret, shown only once", async () => {
    const { endpoints } = await anIntegrator();

    const { status, body } = await endpoints.register({
      url: URL,
      eventTypes: ["candidate.promoted", "candidate.received", "candidate.promoted"],
      description: "ours",
    });
    const read = await endpoints.get(body["id"]);
    const list = await endpoints.list();

    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^whe_[0-9a-z]{26}$/),
      url: URL,
      eventTypes: ["candidate.promoted", "candidate.received"],
      active: true,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      description: "ours",
      signingSecret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    });
    const { signingSecret: _, ...rest } = body;
    expect(read.body).toEqual(rest);
    expect(list.body).toEqual({ data: [rest] });
    expect(WebhookEndpoint.parse(rest)).toEqual(rest);
  });

  test("keeps a URL unchanged", async () => {
    const { caller, endpoints } = await anIntegrator();
    const url = "https://Hooks.Example.com:443/a/../b?x=%7e";

    const { id } = await registered(caller, url);

    expect((await endpoints.get(id)).body["url"]).toBe(url);
  });

  test.each<readonly [string, object]>([
    ["no url", { eventTypes: ["candidate.received"] }],
    ["no event types", { url: URL }],
    ["an empty list of event types", { url: URL, eventTypes: [] }],
    ["an unknown event type", { url: URL, eventTypes: ["candidate.hired"] }],
    ["event types that are no list", { url: URL, eventTypes: "candidate.received" }],
    ["an unknown member", { url: URL, eventTypes: ["candidate.received"], secret: "mine" }],
    [
      "a description past its bound",
      { url: URL, eventTypes: ["candidate.received"], description: "x".repeat(501) },
    ],
    ["a description that is no string", { url: URL, eventTypes: ["candidate.received"], description: 1 }],
    ["a url past its bound", { url: `${URL}/${"x".repeat(2048)}`, eventTypes: ["candidate.received"] }],
    // One for each rule of a URL: test/webhooks/endpoints/deliverable-url.test.ts has the others.
    ...[
      "not a url",
      "http://hooks.example.com/",
      "https://user:secret@hooks.example.com/",
      "https://hooks.example.com:65536/",
      "https://10.0.0.1/",
      "https://[fe80::1]/",
      "https://db.internal/",
    ].map((url) => [`the url ${url}`, { url, eventTypes: ["candidate.received"] }] as const),
  ])("refuses %s", async (_, body) => {
    const { endpoints } = refused;

    const response = await endpoints.register(body);

    expect(response.status, response.text).toBe(400);
    expect(response.body["error"]).toBe("invalid_request");
    expect((await endpoints.list()).body).toEqual({ data: [] });
  });

  test.each([
    [500, "x".repeat(500)],
    ["empty", ""],
    ["null", null],
  ])("accepts a description that is %s", async (_, description) => {
    const { endpoints } = await anIntegrator();

    const { status, body } = await endpoints.register({
      url: URL,
      eventTypes: ["candidate.erased"],
      description,
    });

    expect(status).toBe(201);
    expect(body["description"]).toBe(description);
  });

  test("is limited to fifty per organisation, even concurrently; a deletion makes room", async () => {
    const { caller, endpoints } = await anIntegrator();
    const responses = await Promise.all(
      Array.from({ length: 55 }, () => endpoints.register({ url: URL, eventTypes: CONTRACT_TYPES })),
    );
    // Those that lost a race too often get a response that asks to repeat the call.
    while (((await endpoints.list()).body["data"] as unknown[]).length < 50) await registered(caller, URL);

    const refused = await endpoints.register({ url: URL, eventTypes: CONTRACT_TYPES });
    const { data } = (await endpoints.list()).body as { data: { id: string; createdAt: string }[] };
    await endpoints.delete(data[0]?.id);
    const again = await endpoints.register({ url: URL, eventTypes: CONTRACT_TYPES });

    for (const { status } of responses) expect(status).toBeOneOf([201, 400, 503]);
    expect(refused.status).toBe(400);
    expect(refused.body["message"]).toContain("50");
    expect(data).toHaveLength(50);
    expect(data.map(({ createdAt }) => createdAt)).toEqual(data.map(({ createdAt }) => createdAt).sort());
    expect(again.status).toBe(201);
  });
});

describe("a webhook endpoint", () => {
  test("is not found after it was deleted", async () => {
    const { caller, endpoints } = await anIntegrator();
    const { id } = await registered(caller, URL);

    const deleted = await endpoints.delete(id);

    expect(deleted.status).toBe(204);
    expect(deleted.text).toBe("");
    for (const response of [await endpoints.get(id), await endpoints.delete(id), await endpoints.test(id)]) {
      expect(response.status).toBe(404);
      expect(response.body["error"]).toBe("not_found");
    }
    expect((await endpoints.list()).body).toEqual({ data: [] });
  });

  test("that is tested or deleted gets a response without a content type or body", async () => {
    const { caller, endpoints } = await anIntegrator();
    const { id } = await registered(caller, URL);

    for (const response of [await endpoints.test(id), await endpoints.delete(id)]) {
      expect(response.text).toBe("");
      expect(response.headers["content-type"], String(response.status)).toBeUndefined();
    }
  });

  test("is not accessible to another organisation", async () => {
    const { caller, endpoints } = await anIntegrator();
    const stranger = await anIntegrator();
    const { id } = await registered(caller, URL);

    for (const attempt of ["get", "delete", "test"] as const) {
      const response = await stranger.endpoints[attempt](id);
      expect(response.status, attempt).toBe(404);
    }
    expect((await stranger.endpoints.list()).body).toEqual({ data: [] });
    expect((await endpoints.get(id)).status).toBe(200);
  });

  test.each(["whe_", "whe_0", UNKNOWN_ENDPOINT_ID, "x".repeat(2000), randomUUID(), "%23", "ENDPOINTS"])(
    "is not found by the id %s",
    async (id) => {
      const { endpoints } = await anIntegrator();

      for (const attempt of ["get", "delete", "test"] as const) {
        const response = await endpoints[attempt](id);
        expect(response.status, attempt).toBe(404);
        expect(response.body["error"]).toBe("not_found");
      }
    },
  );
});
