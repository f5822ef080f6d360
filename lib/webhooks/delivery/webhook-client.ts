import type { IncomingHttpHeaders } from "node:http";
import { Agent, type Dispatcher } from "undici";
import type { DeliveryFailure } from "#contract/webhook-delivery";
import { AttemptTimedOut, BodyTooLong, failureOf } from "#webhooks/delivery/attempt-failure";
import { guardedConnector } from "#webhooks/delivery/guarded-connector";
import { parseRetryAfter } from "#webhooks/delivery/retry-after";
import type { AllowedNetworks } from "#webhooks/endpoints/delivery-address";

/** The timeout of an attempt, including the connection, in ms. */
const TIMEOUT = 10_000;
/** The most bytes of a response's body that are read before its connection is closed. */
const BODY_BYTES = 16 * 1024;

/** The result of an attempt. `durationMs` is the time to the response's headers, or to the failure. */
export type AttemptResult =
  | { readonly durationMs: number; readonly statusCode: number; readonly retryAfter?: number | undefined }
  | { readonly durationMs: number; readonly failure: DeliveryFailure };

/**
 * Posts to receivers at addresses chosen by integrators. The connector checks the address that it connects to,
 * whether it was a literal in the URL or resolved. Redirects are not followed. Responses are read only as far as
 * necessary to keep the connection usable.
 */
export class WebhookClient {
  readonly #dispatcher: Dispatcher;

  constructor(allowed: ReturnType<typeof AllowedNetworks.parse>) {
    this.#dispatcher = new Agent({
      connect: guardedConnector(allowed),
      headersTimeout: TIMEOUT,
      bodyTimeout: TIMEOUT,
      // A Lambda function is frozen between batches, so connections do not stay usable for long.
      keepAliveTimeout: 4_000,
    });
  }

  /** Posts a body once. Never throws: errors are part of the result. */
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

/** One post and its result. Handles dispatcher events directly: a request object and a stream cost a third more. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #end: (result: AttemptResult) => void;
  readonly #startedAt = performance.now();
  readonly #deadline = setTimeout(() => this.#timeOut(), TIMEOUT);
  #timedOut: AttemptTimedOut | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #result: AttemptResult | undefined;
  #bytes = 0;

  constructor(end: (result: AttemptResult) => void) {
    this.#end = end;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#timedOut) controller.abort(this.#timedOut);
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    statusCode: number,
    headers: IncomingHttpHeaders,
  ): void {
    if (statusCode < 200) return;
    const retryAfter = parseRetryAfter([headers["retry-after"]].flat()[0], new Date());
    this.#result = { durationMs: this.#elapsed(), statusCode, retryAfter };
  }

  /** A response's body is discarded. If it is long or slow, its connection is closed. */
  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes > BODY_BYTES) controller.abort(new BodyTooLong());
  }

  onResponseEnd(): void {
    this.#settle();
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: unknown): void {
    this.#result ??= { durationMs: this.#elapsed(), failure: failureOf(this.#timedOut ?? error) };
    this.#settle();
  }

  #timeOut(): void {
    this.#timedOut = new AttemptTimedOut();
    this.#controller?.abort(this.#timedOut);
  }

  #settle(): void {
    clearTimeout(this.#deadline);
    this.#end(this.#result ?? { durationMs: this.#elapsed(), failure: "connection_failed" });
  }

  #elapsed(): number {
    return Math.round(performance.now() - this.#startedAt);
  }
}
