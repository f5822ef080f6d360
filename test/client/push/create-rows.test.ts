import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createOnly, rowCreator } from "../../../client/push/create-rows.ts";
import type { Outcome } from "../../../client/push/outcome.ts";
import { Pacer } from "../../../client/push/pacer.ts";
import { CandidateServiceClient } from "../../../client/src/index.ts";
import { aSubmission } from "../../builders/submission.ts";
import { aService, breaks, refuses, responds, type Step } from "../scripted-service.ts";
import { aCandidateService, externalIdsIn } from "./candidate-service.ts";

const row = (number: number) => ({
  number,
  bytes: 1,
  value: aSubmission({ externalId: `ext-${number}` }),
});
const rows = (count: number) => Array.from({ length: count }, (_, at) => row(at + 1));

const begunAt = new Date("2026-11-21T10:00:00Z");

/** Pushes rows to a service, without retries of requests. */
function pushTo({ baseUrl }: { readonly baseUrl: string }) {
  const limits = { rows: 100, bytes: 1_000_000 };
  const client = new CandidateServiceClient({ baseUrl, apiKey: "k", retries: 0 });
  const pacer = new Pacer();
  const submit = createOnly(rowCreator({ client, limits, pacer }), begunAt);
  const stopping = new AbortController();
  return {
    limits,
    pacer,
    stopping,
    submitted: (some: ReturnType<typeof rows>) => submit(some, stopping.signal),
    submit: (some: ReturnType<typeof rows>) => Array.fromAsync(submit(some, stopping.signal)),
  };
}

interface Submitted {
  readonly row: { readonly number: number };
  readonly outcome: Outcome;
}

function kindsOf(submitted: readonly Submitted[]): [number, string][] {
  return submitted.map(({ row: { number }, outcome: { kind } }) => [number, kind]);
}

describe("a batch of rows", () => {
  test.each([401, 418])(
    "with a %d for a row yields the created ones before it ends the push",
    async (status) => {
      const service = await aCandidateService({
        result: ({ externalId }) => (externalId === "ext-1" ? { status, error: "unauthorized" } : undefined),
      });
      const created: number[] = [];
      const submitting = async () => {
        for await (const { row: one } of pushTo(service).submitted(rows(5))) created.push(one.number);
      };

      await expect(submitting()).rejects.toThrow("unauthorized: Message of unauthorized.");

      expect(created).toEqual([2, 3, 4, 5]);
    },
  );

  test("whose refusal has a message without end keeps the beginning of it", async () => {
    const special = responds(400, { error: "invalid_request", message: "x".repeat(1_000_000) });
    const [submitted] = await pushTo(await aService(special)).submit(rows(1));

    expect(submitted?.outcome).toMatchObject({ refusal: { reason: `${"x".repeat(8_500)}…` } });
  });

  test("is created with one request, and each row has its own outcome", async () => {
    const service = await aCandidateService({
      result: ({ externalId }) =>
        externalId === "ext-2" ? { status: 413, error: "payload_too_large" } : undefined,
    });
    service.candidates.set("ext-3", {});

    const submitted = await pushTo(service).submit(rows(4));

    expect(kindsOf(submitted)).toEqual([
      [1, "created"],
      [2, "refused"],
      [3, "unchanged"],
      [4, "created"],
    ]);
    expect(submitted[1]?.outcome).toMatchObject({
      refusal: { code: "payload_too_large", reason: "Message of payload_too_large." },
    });
    expect(service.requests.map(({ path }) => path)).toEqual(["/v1/candidate-batches"]);
  });

  test("counts as created what an attempt without a response created since the push began", async () => {
    const service = await aCandidateService({ receivedAt: () => begunAt });
    service.candidates.set("ext-1", {});

    expect(kindsOf(await pushTo(service).submit(rows(2)))).toEqual([
      [1, "created"],
      [2, "created"],
    ]);
  });

  test.each([
    [500, "internal_error"],
    [503, "service_unavailable"],
  ])(
    "is sent again without the rows that are done while the service fails for others: %i",
    async (status, error) => {
      const random = vi.spyOn(Math, "random").mockReturnValue(0);
      onTestFinished(() => random.mockRestore());
      const waiting = new Set(["ext-2", "ext-3"]);
      const service = await aCandidateService({
        result: ({ externalId }) => (waiting.delete(externalId) ? { status, error } : undefined),
      });

      const submitted = await pushTo(service).submit(rows(3));

      expect(kindsOf(submitted)).toEqual([
        [1, "created"],
        [2, "created"],
        [3, "created"],
      ]);
      expect(externalIdsIn(service.requests)).toEqual(["ext-1", "ext-2", "ext-3", "ext-2", "ext-3"]);
    },
  );

  test("leaves the rows that the service has not taken to the next run after a stop", async () => {
    const service = await aCandidateService({
      result: ({ externalId }) =>
        externalId === "ext-2" ? { status: 503, error: "service_unavailable" } : undefined,
    });
    const push = pushTo(service);
    const pushed = push.submit(rows(3));
    await expect.poll(() => service.requests.length).toBeGreaterThan(1);

    push.stopping.abort();

    expect(kindsOf(await pushed)).toEqual([
      [1, "created"],
      [3, "created"],
    ]);
  });

  test.each([403, 404, 405])(
    "is sent row by row, and so are later rows, if the service responds to batches with %i",
    async (status) => {
      const service = await aCandidateService({
        instead: ({ path }) =>
          path === "/v1/candidate-batches"
            ? responds(status, { message: "Missing Authentication Token" })
            : undefined,
      });
      const push = pushTo(service);

      expect(kindsOf(await push.submit(rows(2)))).toEqual([
        [1, "created"],
        [2, "created"],
      ]);
      expect(push.limits.rows).toBe(1);
      expect(service.requests.slice(1).map(({ path }) => path)).toEqual(["/v1/candidates", "/v1/candidates"]);
    },
  );

  test.each<[number, string, Outcome["kind"]]>([
    [400, "invalid_request", "refused"],
    [413, "payload_too_large", "refused"],
    [500, "internal_error", "failed"],
  ])(
    "with a %i as a whole is sent row by row, so that only the row at fault is not created",
    async (status, code, kind) => {
      const service = await aCandidateService({
        instead: (_, sent) =>
          sent.some(({ externalId }) => externalId === "ext-2") ? refuses(status, code) : undefined,
      });
      const push = pushTo(service);

      expect(kindsOf(await push.submit(rows(3)))).toEqual([
        [1, "created"],
        [2, kind],
        [3, "created"],
      ]);
      expect(push.limits.rows, "later rows are sent in batches").toBe(100);
    },
  );

  test("that is sent row by row leaves the rows after a stop to the next run", async () => {
    const service = await aCandidateService({
      instead: ({ path }) => {
        if (path === "/v1/candidate-batches") return refuses(400, "invalid_request");
        push.stopping.abort();
        return undefined;
      },
    });
    const push = pushTo(service);

    expect(kindsOf(await push.submit(rows(3)))).toEqual([[1, "created"]]);
    expect(service.candidates.size).toBe(1);
  });

  test("that is sent row by row sends none while all requests are paused", async () => {
    const service = await aCandidateService({
      instead: ({ path }) => (path === "/v1/candidate-batches" ? refuses(400, "invalid_request") : undefined),
    });
    const push = pushTo(service);
    const submitted = push.submitted(rows(3))[Symbol.asyncIterator]();
    await submitted.next();
    push.pacer.pause(60_000, "the service asked callers to wait");

    const second = submitted.next();
    push.stopping.abort();

    expect(await second).toEqual({ done: true, value: undefined });
    expect(service.candidates.size).toBe(1);
  });

  test("whose results are not those of its rows ends the push", async () => {
    const { externalId } = row(2).value;
    const service = await aService(responds(200, { results: [{ externalId, status: 201 }] }));

    await expect(pushTo(service).submit(rows(2))).rejects.toThrow(/^unexpected_response: /);
  });

  test.each<[string, Step]>([
    ["unauthorized", refuses(401, "unauthorized")],
    ["rate_limited", refuses(429, "rate_limited")],
    ["service_unavailable", refuses(503, "service_unavailable")],
    ["connection_failed", breaks],
  ])("ends the push after an error that every batch would get: %s", async (code, step) => {
    await expect(pushTo(await aService(step)).submit(rows(2))).rejects.toThrow(new RegExp(`^${code}: `));
  });
});

describe("a row of a push", () => {
  test.each([
    [400, "invalid_request"],
    [404, "consent_revoked"],
    [413, "payload_too_large"],
  ])("is refused after a %i", async (status, code) => {
    const [submitted] = await pushTo(await aService(refuses(status, code))).submit(rows(1));

    expect(submitted?.outcome).toEqual({
      kind: "refused",
      refusal: { code, reason: `Message of ${code}.`, requestId: "req-1" },
    });
  });

  test.each(['{"message":"Request Too Long"}', "<html>"])(
    "is refused after the 413 of a gateway or a proxy: %s",
    async (body) => {
      const service = await aService((response) => response.writeHead(413).end(body));

      const [submitted] = await pushTo(service).submit(rows(1));

      expect(submitted?.outcome).toMatchObject({
        kind: "refused",
        refusal: { code: "payload_too_large", reason: expect.stringContaining("(status code 413)") },
      });
    },
  );

  test("is left for another run if the service fails with an error of its own", async () => {
    const [submitted] = await pushTo(await aService(refuses(500, "internal_error"))).submit(rows(1));

    expect(submitted?.outcome).toMatchObject({ kind: "failed", refusal: { code: "internal_error" } });
  });

  test("is left for another run after a proxy's 500, with the command's name for the address", async () => {
    const service = await aService((response) => response.writeHead(500).end("<html>"));

    const [submitted] = await pushTo(service).submit(rows(1));

    expect(submitted?.outcome).toMatchObject({
      kind: "failed",
      refusal: {
        reason: expect.stringMatching(/Check --url or CANDIDATES_URL, and any proxy in between\.$/),
      },
    });
  });

  test.each<[string, Step]>([
    ["unauthorized", refuses(401, "unauthorized")],
    // A proxy may compress bodies.
    ["unsupported_media_type", refuses(415, "unsupported_media_type")],
    ["connection_failed", breaks],
    ["unexpected_response", (response) => response.writeHead(404).end("<html>")],
    ["unexpected_response", (response) => response.writeHead(400).end("<html>")],
  ])("ends the push after an error that every row would get: %s", async (code, step) => {
    await expect(pushTo(await aService(step)).submit(rows(1))).rejects.toThrow(new RegExp(`^${code}: `));
  });
});
