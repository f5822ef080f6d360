import type { IncomingHttpHeaders } from "node:http";
import { Agent, type Dispatcher } from "undici";
import type { DeliveryFailure } from "#contract/webhook-delivery";
import { AttemptTimedOut, BodyNotRead, failureOf } from "#webhooks/delivery/attempt-failure";
import { guardedConnector } from "#webhooks/delivery/guarded-connector";
import { HEAD_BYTES } from "#webhooks/delivery/interim-responses";
import { parseRetryAfter } from "#webhooks/delivery/retry-after";
import { isBrokenOnReuse } from "#webhooks/delivery/reused-connections";
import type { Network } from "#webhooks/endpoints/delivery-address";

/** The most bytes of a response's body that are read before its connection is closed. */
const BODY_BYTES = 16 * 1024;
/** How long the body may take after the headers before its connection is closed, in ms. */
const BODY_TIMEOUT_MS = 1_000;
/**
 * How long an idle connection is kept, in ms, whatever the receiver offers: a Lambda function is frozen between
 * batches, so connections do not stay usable for long.
 */
const KEEP_ALIVE_MS = 4_000;

type Connections = Pick<Dispatcher, "dispatch" | "destroy">;

/** Connections to public addresses, and to those in the allowed networks. */
export function guardedAgent(allowed: readonly Network[]): Agent {
  return new Agent({
    connect: guardedConnector(allowed),
    maxHeaderSize: HEAD_BYTES,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
  });
}

/** How long an attempt may take. */
export interface PostOptions {
  /** The timeout of the attempt, including the connection, in ms. */
  readonly timeout: number;
  /** When an attempt without a response is late, in ms, and what reports it while the attempt goes on. */
  readonly late?: { readonly after: number; readonly report: () => void };
}

/**
 * The result of an attempt, which ends with the headers of the response, or fails. `durationMs` is how long it took.
 */
export type AttemptResult =
  | { readonly durationMs: number; readonly statusCode: number; readonly retryAfter?: number | undefined }
  | { readonly durationMs: number; readonly failure: DeliveryFailure };

/**
 * Posts to receivers at addresses chosen by integrators. A {@link guardedAgent} checks the address that it connects to,
 * whether it was a literal in the URL or resolved. Redirects are not followed. The body of a response neither
 * changes the result nor delays it: it is read afterwards, as far as necessary to keep the connection usable.
 */
export class WebhookClient {
  readonly #connections: Connections;

  constructor(connections: Connections) {
    this.#connections = connections;
  }

  /**
   * Posts a body once, or again at once if a reused connection breaks without a response. Never throws: errors are part
   * of the result.
   */
  post(
    url: string,
    headers: Readonly<Record<string, string>>,
    body: string,
    options: PostOptions,
  ): Promise<AttemptResult> {
    const { promise, resolve } = Promise.withResolvers<AttemptResult>();
    const dispatch = (exchange: Exchange) => {
      try {
        const { origin, pathname, search } = new URL(url);
        this.#connections.dispatch(
          { origin, path: pathname + search, method: "POST", headers, body },
          exchange,
        );
      } catch (error) {
        exchange.onResponseError(undefined, error);
      }
    };
    dispatch(new Exchange(resolve, options, dispatch));
    return promise;
  }

  async close(): Promise<void> {
    await this.#connections.destroy();
  }
}

/** One post and its result. Handles dispatcher events directly: a request object and a stream cost a third more. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #end: (result: AttemptResult) => void;
  readonly #dispatch: (exchange: Exchange) => void;
  readonly #startedAt = performance.now();
  readonly #late: NodeJS.Timeout | undefined;
  #deadline: NodeJS.Timeout;
  #controller: Dispatcher.DispatchController | undefined;
  #abortion: Error | undefined;
  #awaitsBody = false;
  #bytes = 0;

  constructor(
    end: (result: AttemptResult) => void,
    { timeout, late }: PostOptions,
    dispatch: (exchange: Exchange) => void,
  ) {
    this.#end = end;
    this.#dispatch = dispatch;
    this.#late = late && setTimeout(late.report, late.after);
    this.#deadline = setTimeout(() => this.#timeOut(), timeout);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#abortion) controller.abort(this.#abortion);
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    statusCode: number,
    headers: IncomingHttpHeaders,
  ): void {
    if (statusCode < 200) return;
    const { "retry-after": header } = headers;
    const retryAfter = header === undefined ? undefined : parseRetryAfter([header].flat()[0], new Date());
    this.#awaitsBody = true;
    this.#settle({ durationMs: this.#elapsed(), statusCode, retryAfter });
    // No timer is necessary for a body that arrived together with the headers, as most do.
    queueMicrotask(() => this.#limitBody());
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes > BODY_BYTES) this.#abort(new BodyNotRead());
  }

  onResponseEnd(): void {
    this.#awaitsBody = false;
    clearTimeout(this.#deadline);
  }

  /** Also called when the body is aborted or breaks off, after the result is settled. */
  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: unknown): void {
    this.#awaitsBody = false;
    if (isBrokenOnReuse(error)) {
      // Not within the event of the connection that broke, which undici has not finished with.
      queueMicrotask(() => this.#dispatch(this));
    } else {
      this.#settle({ durationMs: this.#elapsed(), failure: failureOf(error) });
    }
  }

  #limitBody(): void {
    if (this.#awaitsBody) this.#deadline = setTimeout(() => this.#abort(new BodyNotRead()), BODY_TIMEOUT_MS);
  }

  #timeOut(): void {
    const timedOut = new AttemptTimedOut();
    this.#settle({ durationMs: this.#elapsed(), failure: failureOf(timedOut) });
    this.#abort(timedOut);
  }

  /** The controller may be missing while the connection is being established. */
  #abort(abortion: Error): void {
    this.#abortion = abortion;
    this.#controller?.abort(abortion);
  }

  #settle(result: AttemptResult): void {
    clearTimeout(this.#late);
    clearTimeout(this.#deadline);
    this.#end(result);
  }

  #elapsed(): number {
    return Math.round(performance.now() - this.#startedAt);
  }
}
