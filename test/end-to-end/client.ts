import http from "node:http";
import https from "node:https";
import { expect, inject } from "vitest";
import { inParallel } from "#runtime/in-parallel";
import { expectDescribed } from "./description.ts";
import { JSON_TYPE, type Request, type Response } from "./messages.ts";

/**
 * Half as long as the local stack keeps an idle connection, in ms: an agent without a limit of its own sends requests
 * on connections that the server is about to close.
 */
const IDLE_MS = 30_000;
const connections = { keepAlive: true, maxSockets: 64, timeout: IDLE_MS };
/** Plain to the local stack, encrypted to a deployed one. */
const transports = {
  "http:": { open: http.request, agent: new http.Agent(connections) },
  "https:": { open: https.request, agent: new https.Agent(connections) },
};

/** Sends a request byte by byte as it is given; adds nothing but `Host` and `Content-Length`. */
export async function send({ method, path, headers = [], body }: Request): Promise<Response> {
  const base = new URL(inject("baseUrl"));
  const bytes = body === undefined ? undefined : Buffer.from(body);
  const fields = [
    ["Host", base.host],
    ...headers,
    ...(bytes ? [["Content-Length", String(bytes.length)]] : []),
  ];
  const { open, agent } = transports[base.protocol === "https:" ? "https:" : "http:"];
  const response = await new Promise<Response>((resolve, reject) => {
    const request = open(
      {
        agent,
        host: base.hostname,
        port: base.port,
        method,
        path: base.pathname.replace(/\/$/, "") + path,
        headers: fields.flat(),
      },
      (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
        incoming.on("error", reject);
        incoming.on("end", () => {
          const text = Buffer.concat(chunks).toString("utf8");
          const isJson = incoming.headers["content-type"]?.startsWith("application/json") && text !== "";
          resolve({
            status: incoming.statusCode ?? 0,
            headers: incoming.headers,
            text,
            body: isJson ? JSON.parse(text) : {},
          });
        });
      },
    );
    request.on("error", reject);
    request.end(bytes);
  });
  check(method, response);
  expectDescribed({ method, path, headers, ...(body !== undefined && { body }) }, response);
  return response;
}

/** What holds for every response (contract, "Errors" 1; decisions, "Requests and errors"). */
function check(method: string, { status, headers, body, text }: Response): void {
  expect(headers["x-request-id"], "X-Request-Id").toMatch(/\S/);
  expect(headers["cache-control"], "Cache-Control").toBe("no-store");
  expect(headers["x-content-type-options"], "X-Content-Type-Options").toBe("nosniff");
  if (status >= 400 && method !== "HEAD") {
    expect(headers["content-type"], text).toMatch(/^application\/json/);
    expect(body, text).toEqual({ error: expect.any(String), message: expect.any(String) });
  }
}

export interface Caller {
  createCandidate(body: unknown): Promise<Response>;
  findCandidate(externalId: string): Promise<Response>;
  getCandidate(id: unknown): Promise<Response>;
  amendCandidate(id: unknown, body: unknown, headers?: Readonly<Record<string, string>>): Promise<Response>;
  requestErasure(id: unknown, body: unknown): Promise<Response>;
  /** A request that only has the caller's key added. */
  send(request: Request): Promise<Response>;
}

/** The contract's operations, as an integrator with this key calls them. */
export function callerWith(apiKey: string): Caller {
  const withKey = (request: Request) =>
    send({ ...request, headers: [["X-API-Key", apiKey], ...(request.headers ?? [])] });
  return {
    createCandidate: (body) =>
      withKey({ method: "POST", path: "/v1/candidates", headers: JSON_TYPE, body: JSON.stringify(body) }),
    findCandidate: (externalId) =>
      withKey({ method: "GET", path: `/v1/candidates?externalId=${encodeURIComponent(externalId)}` }),
    getCandidate: (id) =>
      withKey({ method: "GET", path: `/v1/candidates/${encodeURIComponent(String(id))}` }),
    amendCandidate: (id, body, headers = {}) =>
      withKey({
        method: "PUT",
        path: `/v1/candidates/${encodeURIComponent(String(id))}`,
        headers: [...JSON_TYPE, ...Object.entries(headers)],
        body: JSON.stringify(body),
      }),
    requestErasure: (id, body) =>
      withKey({
        method: "POST",
        path: `/v1/candidates/${encodeURIComponent(String(id))}/erasure`,
        headers: JSON_TYPE,
        body: JSON.stringify(body),
      }),
    send: withKey,
  };
}

/** A caller of one of the organisations that the stack starts with. */
export function aCaller(index = 0): Caller {
  const organisation = inject("organisations")[index];
  if (!organisation) throw new Error(`The stack starts with no organisation ${index}.`);
  return callerWith(organisation.apiKey);
}

/** Creates the candidate and gives its `stagedId`. */
export async function received(caller: Caller, body: object): Promise<string> {
  const response = await caller.createCandidate(body);
  expect(response.status, response.text).toBe(201);
  return String(response.body["stagedId"]);
}

/** Does the work for every item, eight at a time, and gives the results in order. */
export function eightAtATime<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  return inParallel(items, 8, work);
}
