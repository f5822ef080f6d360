import { describe, expect, test } from "vitest";
import { createThrough, syncThrough } from "../../../client/push/submit.ts";
import { CandidateServiceClient } from "../../../client/src/index.ts";
import { aSubmission } from "../../builders/submission.ts";
import { answers, aService, breaks, refuses, type Step } from "../scripted-service.ts";

const row = { number: 1, position: 1, value: aSubmission() };
const replayed = answers(201, { stagedId: "staged_1" }, { "Idempotent-Replayed": "true" });

/** What pushes rows to a service that does these steps, without a second attempt. */
async function through(submit: typeof createThrough, ...steps: readonly Step[]) {
  const { baseUrl, requests } = await aService(...steps);
  return { submit: submit(new CandidateServiceClient({ baseUrl, apiKey: "k", retries: 0 })), requests };
}

describe("a row of a push", () => {
  test.each([
    [400, "invalid_request"],
    [404, "consent_revoked"],
    [413, "payload_too_large"],
  ])("is refused after a %i", async (status, code) => {
    const { submit } = await through(createThrough, refuses(status, code));

    expect(await submit(row)).toEqual({
      kind: "refused",
      refusal: { code, reason: `Told as ${code}.`, requestId: "req-1" },
    });
  });

  test("is left for another run if the service fails with an error of its own", async () => {
    const { submit } = await through(createThrough, refuses(500, "internal_error"));

    expect(await submit(row)).toMatchObject({ kind: "failed", refusal: { code: "internal_error" } });
  });

  test.each<[string, Step]>([
    ["unauthorized", refuses(401, "unauthorized")],
    ["rate_limited", refuses(429, "rate_limited")],
    ["service_unavailable", refuses(503, "service_unavailable")],
    ["connection_failed", breaks],
    ["unexpected_answer", (response) => response.writeHead(404).end("<html>")],
  ])("ends the push after an error that every row would get: %s", async (code, step) => {
    const { submit } = await through(createThrough, step);

    await expect(submit(row)).rejects.toThrow(new RegExp(`^${code}: `));
  });

  test("that already exists stays unchanged, or with --sync is amended except for its consent", async () => {
    const plain = await through(createThrough, replayed);
    const sync = await through(syncThrough, replayed, answers(200, {}, { ETag: '"v1"' }));
    const { firstName, lastName } = row.value;

    expect(await plain.submit(row)).toEqual({ kind: "unchanged" });
    expect(await sync.submit(row)).toEqual({ kind: "amended" });
    expect(plain.requests).toHaveLength(1);
    expect(sync.requests[1]).toMatchObject({ method: "PUT", path: "/v1/candidates/staged_1" });
    expect(JSON.parse(sync.requests[1]?.body ?? "")).toEqual({ firstName, lastName });
  });
});
