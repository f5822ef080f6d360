import { lookup } from "node:dns";
import type { IncomingHttpHeaders } from "node:http";
import { isIP, type LookupFunction } from "node:net";
import { Agent, buildConnector, type Dispatcher } from "undici";
import type { DeliveryFailure } from "#contract/webhook-delivery";
import { withoutContinue } from "#webhooks/delivery/interim-responses";
import { parseRetryAfter } from "#webhooks/delivery/retry-schedule";
import { type AllowedNetworks, isDeliverable } from "#webhooks/endpoints/delivery-address";

/** How long a receiver has for everything, and of that for the connection, in ms. */
const TIMEOUT = 10_000;
const CONNECT_TIMEOUT = 3_000;
/** How much of an answer is read before its connection is given up, in bytes. */
const ANSWER_BYTES = 16 * 1024;

/** What an attempt came to. `durationMs` is the time to the answer's headers, or to the failure. */
export type AttemptResult =
  | { readonly durationMs: number; readonly statusCode: number; readonly retryAfter?: number | undefined }
  | { readonly durationMs: number; readonly failure: DeliveryFailure };

class AddressRefused extends Error {}
class GivenUp extends Error {}

/**
 * Posts to receivers that anybody may have named. The guard sits where connections are made and judges
 * the very address that is connected to, whether it was written in the URL or resolved; redirects are
 * not followed; no more of an answer is read than keeps the connection usable.
 */
export class WebhookClient {
  readonly #dispatcher: Dispatcher;

  constructor(allowed: ReturnType<typeof AllowedNetworks.parse>) {
    this.#dispatcher = new Agent({
      connect: guardedConnector(allowed),
      headersTimeout: TIMEOUT,
      bodyTimeout: TIMEOUT,
      // A Lambda is frozen between batches: a connection must not be trusted for long.
      keepAliveTimeout: 4_000,
    });
  }

  /** Posts a body once. Never throws: what goes wrong is a result. */
  post(url: string, headers: Readonly<Record<string, string>>, body: string): Promise<AttemptResult> {
    const { promise, resolve } = Promise.withResolvers<AttemptResult>();
    const exchange = new Exchange(resolve);
    try {
      const { origin, pathname, search } = new URL(url);
      this.#dispatcher.dispatch({ origin, path: pathname + search, method: "POST", headers, body }, exchange);
    } catch (error) {
      exchange.onResponseError(undefined, error);
    }
    return promise;
  }

  async close(): Promise<void> {
    await this.#dispatcher.destroy();
  }
}

/** One post and what came of it. Told by the connection itself: a request object and a stream cost a third more. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #end: (result: AttemptResult) => void;
  readonly #startedAt = performance.now();
  readonly #deadline = setTimeout(() => this.#giveUp(), TIMEOUT);
  #timedOut = false;
  #controller: Dispatcher.DispatchController | undefined;
  #answer: AttemptResult | undefined;
  #bytes = 0;

  constructor(end: (result: AttemptResult) => void) {
    this.#end = end;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#timedOut) this.#giveUp();
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    statusCode: number,
    headers: IncomingHttpHeaders,
  ): void {
    if (statusCode < 200) return;
    const retryAfter = parseRetryAfter([headers["retry-after"]].flat()[0], new Date());
    this.#answer = { durationMs: this.#elapsed(), statusCode, retryAfter };
  }

  /** An answer's body says nothing to us: one that is long or slow ends with its connection. */
  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes > ANSWER_BYTES) controller.abort(new GivenUp());
  }

  onResponseEnd(): void {
    this.#settle();
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: unknown): void {
    this.#answer ??= {
      durationMs: this.#elapsed(),
      failure: this.#timedOut ? "timeout" : failureOf(error),
    };
    this.#settle();
  }

  #giveUp(): void {
    this.#timedOut = true;
    this.#controller?.abort(new GivenUp());
  }

  #settle(): void {
    clearTimeout(this.#deadline);
    this.#end(this.#answer ?? { durationMs: this.#elapsed(), failure: "connection_failed" });
  }

  #elapsed(): number {
    return Math.round(performance.now() - this.#startedAt);
  }
}

/**
 * Connects to addresses that deliveries may reach, and to no others.
 *
 * @internal Exported for benchmarks.
 */
export function guardedConnector(
  allowed: ReturnType<typeof AllowedNetworks.parse>,
): buildConnector.connector {
  const deliverableAddresses: LookupFunction = (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true, order: "ipv4first" }, (error, addresses) => {
      if (error) return callback(error, []);
      const deliverable = addresses.filter(({ address }) => isDeliverable(address, allowed));
      const [first] = deliverable;
      if (!first) return callback(new AddressRefused(), []);
      return options.all ? callback(null, deliverable) : callback(null, first.address, first.family);
    });
  };
  const connect = buildConnector({
    timeout: CONNECT_TIMEOUT,
    allowH2: false,
    lookup: deliverableAddresses,
  });
  // A literal address is never looked up, so it is judged here.
  return (options, callback) => {
    const host = options.hostname.replace(/^\[|\]$/g, "");
    if (isIP(host) !== 0 && !isDeliverable(host, allowed)) return callback(new AddressRefused(), null);
    connect(options, (...connected) => {
      const [error, socket] = connected;
      if (error) callback(error, null);
      else callback(null, withoutContinue(socket));
    });
  };
}

function failureOf(thrown: unknown): DeliveryFailure {
  if (thrown instanceof AddressRefused) return "address_refused";
  const code = thrown instanceof Error && "code" in thrown ? String(thrown.code) : "";
  if (/TIMEOUT|ETIMEDOUT/.test(code)) return "timeout";
  if (/^(?:ENOTFOUND|EAI_)/.test(code)) return "name_not_resolved";
  // Node names a certificate's fault by OpenSSL's codes, which share no prefix.
  if (/CERT|TLS|SSL|SIGNATURE|ISSUER/.test(code)) return "tls_failed";
  return "connection_failed";
}
