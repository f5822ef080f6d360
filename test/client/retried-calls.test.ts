import { getEventListeners } from "node:events";
import { runInNewContext } from "node:vm";
import { describe, expect, test, vi } from "vitest";
import { aSubmission } from "../builders/submission.ts";
import {
  aClientOf,
  CREATED_ENDPOINT,
  created,
  failureOf,
  record,
  register,
  retryWithoutBackoff,
} from "./scripted-client.ts";
import { breaks, hangs, refuses, responds, type Step } from "./scripted-service.ts";

retryWithoutBackoff();

const systemError = (syscall: string, code: string) =>
  Object.assign(new Error(`${syscall} ${code}`), { syscall, code });

describe("the client", () => {
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
    const { client, requests } = await aClientOf([
      refuses(429, "rate_limited"),
      responds(201, CREATED_ENDPOINT),
    ]);

    expect(await register(client)).toEqual(CREATED_ENDPOINT);
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
