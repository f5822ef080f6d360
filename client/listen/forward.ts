import http from "node:http";
import https from "node:https";
import { deliveryHeaders } from "../../lib/webhooks/delivery/delivery-headers.ts";
import { TIMEOUTS_MS } from "../../lib/webhooks/endpoints/lane.ts";
import { isLoopback } from "../src/base-url.ts";
import type { FeedEvent } from "../src/index.ts";

/**
 * Node's own agents use the proxy in the environment, which does not reach a receiver on this machine and would get the
 * events unencrypted (Node.js, "HTTP", "Built-in Proxy Support").
 */
const AGENTS = { "http:": new http.Agent(), "https:": new https.Agent() };

/** The outcome of an event. Of the event's data it contains only the handle. */
export interface Forwarded {
  readonly at: string;
  readonly type: string;
  readonly eventId: string;
  /** The candidate's handle. */
  readonly stagedId?: string;
  /** The endpoint that an event about an endpoint is about. */
  readonly webhookEndpointId?: string;
  readonly durationMs: number;
  /** The receiver's response. */
  readonly statusCode?: number;
  /** Why there was no response. */
  readonly failure?: string;
}

interface Target {
  readonly url: URL;
  /** The secret with which deliveries are signed. */
  readonly secret: string;
}

/** Sends an event as the service delivers it, once, with the same headers and signatures. */
export async function forward(event: FeedEvent, { url, secret }: Target): Promise<Forwarded> {
  const { id: eventId, type } = event;
  const body = JSON.stringify(event);
  const at = new Date();
  const headers = deliveryHeaders({ body, eventId, eventType: type, attempt: 1 }, { current: secret }, at);
  const startedAt = performance.now();
  const outcome = await post(url, headers, body).then(
    (statusCode) => ({ statusCode }),
    (error: NodeJS.ErrnoException) => ({ failure: failureOf(error) }),
  );
  return {
    at: at.toISOString(),
    type,
    eventId,
    ...subjectOf(event),
    durationMs: Math.round(performance.now() - startedAt),
    ...outcome,
  };
}

function subjectOf({ data }: FeedEvent) {
  return "stagedId" in data ? { stagedId: data.stagedId } : { webhookEndpointId: data.webhookEndpointId };
}

/** Not fetch, which adds headers that a delivery does not have. Redirects are not followed. */
function post(url: URL, headers: Readonly<Record<string, string>>, body: string): Promise<number> {
  const protocol = url.protocol === "https:" ? "https:" : "http:";
  const { request } = protocol === "https:" ? https : http;
  const bytes = Buffer.from(body);
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      method: "POST",
      headers: { ...headers, "Content-Length": bytes.length },
      signal: AbortSignal.timeout(TIMEOUTS_MS.retry),
      ...(isLoopback(url.hostname) && { agent: AGENTS[protocol] }),
    });
    // A receiver may close a connection after any response. An event sent on it meanwhile would be lost.
    sent.shouldKeepAlive = false;
    sent.on("error", reject).on("response", (response) => {
      response.on("error", () => {}).resume();
      resolve(response.statusCode ?? 0);
    });
    // Without a listener, Node would close the connection and report neither a response nor an error.
    sent.on("upgrade", ({ statusCode = 0 }, socket) => {
      socket.destroy();
      resolve(statusCode);
    });
    sent.end(bytes);
  });
}

function failureOf({ name, code }: NodeJS.ErrnoException): string {
  return name === "AbortError" || name === "TimeoutError" ? "timeout" : (code ?? "connection_failed");
}
