import { EventEmitter, once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** What the service does with one request. */
export type Step = (response: ServerResponse, request: SeenRequest) => void;

/** Responds with JSON. */
export function responds(status: number, body?: unknown, headers: Record<string, string> = {}): Step {
  return (response) => sendJson(response, status, body, headers);
}

/** Writes a whole response with this JSON, or with an empty body. */
export function sendJson(response: ServerResponse, status: number, body?: unknown, headers = {}): void {
  response.writeHead(status, { "Content-Type": "application/json", "X-Request-Id": "req-1", ...headers });
  response.end(body === undefined ? "" : JSON.stringify(body));
}

/** Refuses in the envelope. */
export function refuses(status: number, code: string, headers: Record<string, string> = {}): Step {
  return responds(status, { error: code, message: `Message of ${code}.` }, headers);
}

/** Breaks the connection off. */
export const breaks: Step = (response) => response.destroy();

/** Takes the request and says nothing. */
export const hangs: Step = () => {};

/** A service on loopback that does one step after the other, the last one again and again, until the test ends. */
export async function aService(...steps: readonly Step[]) {
  const service = await startService(...steps);
  onTestFinished(service.stop);
  return service;
}

/** The same until it is stopped: of concurrent tests, none is the current one. */
export async function startService(...steps: readonly Step[]) {
  const requests: SeenRequest[] = [];
  const arrivals = new EventEmitter();
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await Array.fromAsync(request)).toString("utf8");
    const { method = "", url = "", headers } = request;
    const step = steps[Math.min(requests.length, steps.length - 1)];
    const seen = { method, path: url, headers, body };
    requests.push(seen);
    arrivals.emit("request");
    step?.(response, seen);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  /** Waits until so many requests have arrived. */
  const received = async (count: number) => {
    while (requests.length < count) await once(arrivals, "request");
  };
  const { port } = server.address() as AddressInfo;
  return { baseUrl: `http://127.0.0.1:${port}`, requests, received, stop };
}
