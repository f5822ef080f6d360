import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { GATEWAY_MESSAGES } from "#contract/gateway-messages";
import { Site } from "#runtime/site";
import { CandidateServiceClient, type CandidateServiceClient as Client } from "../../client/src/index.ts";
import { aSubmission } from "../builders/submission.ts";
import { aClientOf, ENDPOINT, failureOf, RECEIPT, register, retryWithoutBackoff } from "./scripted-client.ts";
import { breaks, refuses, responds, type Step } from "./scripted-service.ts";

retryWithoutBackoff();

const RESULT = { ...RECEIPT, status: 201, replayed: false };
const REFUSAL = { externalId: "ext-1", status: 400, error: "invalid_request", message: "The reason." };

const candidateOf = (externalId: string) => aSubmission({ externalId });

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

  test.each<[string, Step]>([
    ["a page of HTML", (response) => response.writeHead(200).end("<html>")],
    ["an error of a proxy", (response) => response.writeHead(418).end("no")],
    ["an error of a proxy, without a message", responds(403, { error: "Forbidden" })],
    ["an error with the status code of a success", responds(202, { error: "not_found", message: "" })],
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

  test.each(['{"message":"Request Too Long"}', "<html>"])(
    "throws payload_too_large after a 413 of API Gateway or a proxy, which has no envelope: %s",
    async (body) => {
      const { client, requests, baseUrl } = await aClientOf([
        (response) => response.writeHead(413, { "X-Request-Id": "req-1" }).end(body),
      ]);

      const { host } = new URL(baseUrl);
      expect(await failureOf(client.createCandidate(aSubmission()))).toMatchObject({
        code: "payload_too_large",
        message: `The body is larger than ${host}, or a proxy in between, accepts (status code 413). Send a smaller one.`,
        status: 413,
        requestId: "req-1",
        attempts: 1,
      });
      expect(requests).toHaveLength(1);
    },
  );

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

  test.each<[string, (client: Client) => Promise<unknown>, number]>([
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

  test.each<[string, (client: Client) => Promise<unknown>, Step]>([
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
      expect(await failureOf(call)).toMatchObject({
        message: expect.stringContaining("no valid member data"),
        requestId: "req-1",
      });
    }
  });

  test.each([null, "", 7])("throws unexpected_response if a page's nextCursor is %j", async (nextCursor) => {
    const { client } = await aClientOf([responds(200, { data: [], nextCursor })]);

    const deliveries = Array.fromAsync(client.eachWebhookDelivery("whe_1"));

    expect(await failureOf(deliveries)).toMatchObject({ code: "unexpected_response" });
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

  test("does not receive the rest of a larger response, and does not depend on how its connection ends", async () => {
    let cancelled = 0;
    // Not a mock, which would handle the rejection.
    const cancel = async () => {
      cancelled += 1;
      throw new Error("broken");
    };
    const read = async () => ({ done: false as const, value: new Uint8Array(11 * 1024 * 1024) });
    const body = { getReader: () => ({ read, cancel }) };
    const fetch = async () => ({ ok: true, status: 200, headers: new Headers(), body });
    const client = new CandidateServiceClient({ baseUrl: "https://host", apiKey: "k", fetch });

    const error = await failureOf(client.getCandidate("staged_1"));

    expect(error).toMatchObject({ code: "unexpected_response", attempts: 1 });
    expect(cancelled).toBe(1);
  });

  test("reads headers without the spaces after their values, which undici leaves there", async () => {
    const ends = (value: string) => `${value} \t`;
    const { client } = await aClientOf([
      refuses(429, "rate_limited", { "Retry-After": ends("3600"), "X-Request-Id": ends("req-1") }),
      responds(201, RECEIPT, { "Idempotent-Replayed": ends("true") }),
      responds(200, {}, { ETag: ends('"v1"') }),
    ]);

    expect(await failureOf(client.getCandidate("staged_1"))).toMatchObject({
      retryAfterMs: 3_600_000,
      requestId: "req-1",
    });
    expect(await client.createCandidate(aSubmission())).toMatchObject({ replayed: true });
    expect(await client.getCandidate("staged_1")).toEqual({ etag: '"v1"' });
  });

  test("accepts a response of 10 MiB in characters of several bytes", async () => {
    const bytes = 10 * 1024 * 1024 - '{"summary":""}'.length;
    const summary = "€".repeat(bytes / 3) + "x".repeat(bytes % 3);
    const { client } = await aClientOf([responds(200, { summary }, { ETag: '"v1"' })]);

    expect((await client.getCandidate("staged_1")).summary === summary).toBe(true);
  });
});
