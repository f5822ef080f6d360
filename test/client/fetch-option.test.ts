import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import * as undici from "undici";
import { expect, expectTypeOf, onTestFinished, test, vi } from "vitest";
import { CandidateServiceClient, type Fetch } from "../../client/src/index.ts";
import { failureOf } from "./scripted-client.ts";
import { aService, responds } from "./scripted-service.ts";

// Judged by the compiler: `npm run check` fails when one is not accepted.
test("the option fetch accepts the global fetch, undici's, and a function without a runtime's own members", () => {
  interface BunFetch {
    (input: string | URL | Request, init?: RequestInit): Promise<Response>;
    preconnect(url: string): void;
  }
  expectTypeOf<typeof globalThis.fetch>().toExtend<Fetch>();
  expectTypeOf<typeof undici.fetch>().toExtend<Fetch>();
  expectTypeOf<BunFetch>().toExtend<Fetch>();
  expectTypeOf<() => Promise<Response>>().toExtend<Fetch>();
  expectTypeOf(vi.fn<typeof globalThis.fetch>()).toExtend<Fetch>();
  expectTypeOf<() => Promise<object>>().not.toExtend<Fetch>();
});

test("the option fetch may be one that refuses to be a method, such as that of browsers and workers", async () => {
  const calledOn: unknown[] = [];
  const client = new CandidateServiceClient({
    baseUrl: "https://api.example.com",
    apiKey: "k",
    async fetch(this: unknown) {
      calledOn.push(this);
      return Response.json({ data: [] });
    },
  });

  await expect(client.listWebhookEndpoints()).resolves.toEqual([]);

  expect(calledOn).toEqual([undefined]);
});

test.each([
  ["nothing", undefined],
  ["a mock without headers", { ok: true, status: 200, body: null }],
  ["a mock with headers in a plain object", { ok: true, status: 200, headers: {}, body: null }],
  ["a mock without a body", { ok: true, status: 200, headers: new Headers(), json: async () => ({}) }],
  ["a response of node-fetch", { ok: true, status: 200, headers: new Headers(), body: Readable.from("{}") }],
])("a fetch that returns %s is not taken for a lost connection, nor called again", async (_, response) => {
  const fetch = vi.fn(async () => response as unknown as Response);
  const client = new CandidateServiceClient({ baseUrl: "https://api.example.com", apiKey: "k", fetch });

  expect(await failureOf(client.listWebhookEndpoints())).toMatchObject({
    code: "unexpected_response",
    message: expect.stringMatching(/^The function fetch returned no Response/),
    attempts: 1,
  });

  expect(fetch).toHaveBeenCalledOnce();
});

test("the client sends its requests through a proxy of undici", async () => {
  const service = await aService(responds(200, { id: "staged_1" }, { ETag: '"v1"' }));
  const proxy = await aProxy();
  const dispatcher = new undici.ProxyAgent(proxy.url);
  onTestFinished(() => dispatcher.close());
  const client = new CandidateServiceClient({
    baseUrl: service.baseUrl,
    apiKey: "k",
    fetch: (url, init) => undici.fetch(url, { ...init, dispatcher }),
  });

  await expect(client.getCandidate("staged_1")).resolves.toMatchObject({ etag: '"v1"' });

  expect(proxy.urls).toEqual([`${service.baseUrl}/v1/candidates/staged_1`]);
});

/** A proxy for http, and the URLs that it was asked for. */
async function aProxy(): Promise<{ readonly url: string; readonly urls: readonly string[] }> {
  const urls: string[] = [];
  const server = createServer(({ url = "", method, headers }, response) => {
    urls.push(url);
    request(url, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(response);
    }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, urls };
}
