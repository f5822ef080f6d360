import { hostOf, withoutTrailingSlashes } from "./base-url.ts";
import { CandidateServiceError } from "./error.ts";
import type { Fetch } from "./fetch.ts";
import { onAbort } from "./on-abort.ts";
import {
  assertCallOptions,
  assertClientOptions,
  type CallOptions,
  type ClientOptions,
  type Retry,
} from "./options.ts";
import { readResponse } from "./read-response.ts";
import { jsonOf } from "./request-body.ts";
import { waitBeforeRetryMs } from "./retry.ts";
import type { ServiceResponse } from "./service-response.ts";
import { systemReasonOf } from "./system-reason.ts";
import { wait } from "./wait.ts";

export interface Call {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  /** The status code of the operation's success. */
  readonly status: number;
  /** The part after the question mark. */
  readonly query?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether repeating the call has no further effect. */
  readonly idempotent: boolean;
  /** Whether environments exist that do not have the path: an unknown path then does not mean a wrong `baseUrl`. */
  readonly mayBeMissing?: boolean;
  /** Repeats the call for as long as it fails in a way that may pass, instead of `retries` times. */
  readonly patient?: boolean;
  /** Called with each failed attempt that is to be repeated. */
  readonly onFailure?: (error: CandidateServiceError) => void;
}

/** Sends calls to one environment with one key, and retries those that may be retried. */
export class Transport {
  readonly #baseUrl: string;
  /** Host and port, for messages. */
  readonly #host: string;
  readonly #apiKey: string;
  readonly #timeoutMs: number;
  readonly #retries: number;
  readonly #onRetry: ((retry: Retry) => void) | undefined;
  readonly #stopRetries: AbortSignal | undefined;
  readonly #fetch: Fetch;

  constructor(options: ClientOptions) {
    assertClientOptions(options);
    const { apiKey, timeoutMs = 30_000, retries = 4, onRetry, stopRetries, fetch } = options;
    const baseUrl = String(options.baseUrl);
    this.#baseUrl = withoutTrailingSlashes(baseUrl);
    this.#host = hostOf(baseUrl);
    this.#apiKey = apiKey;
    this.#timeoutMs = timeoutMs;
    this.#retries = retries;
    this.#onRetry = onRetry;
    this.#stopRetries = stopRetries;
    // Not the function itself: browsers and workers refuse a call of their own as a method of another object.
    this.#fetch = (...request) => (fetch ?? globalThis.fetch)(...request);
  }

  async send(call: Call, options: CallOptions = {}): Promise<ServiceResponse> {
    assertCallOptions(options);
    const { signal } = options;
    const { idempotent, patient = false, onFailure } = call;
    // Before the first attempt, so that it is not taken for a lost connection.
    const json = "body" in call ? jsonOf(call.body) : undefined;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#attempt(call, json, attempt, signal);
      } catch (error) {
        const isLast = this.#stopRetries?.aborted || (!patient && attempt > this.#retries);
        if (!(error instanceof CandidateServiceError) || isLast) throw error;
        const waitMs = waitBeforeRetryMs({ error, idempotent, patient, random: Math.random() });
        if (waitMs === undefined) throw error;
        onFailure?.(error);
        this.#onRetry?.({ error, waitMs });
        await wait(waitMs, signal, this.#stopRetries).catch((reason: unknown) => {
          throw signal?.aborted ? reason : error;
        });
      }
    }
  }

  async #attempt(
    { method, path, status, query, headers, mayBeMissing = false }: Call,
    body: string | undefined,
    attempts: number,
    signal: AbortSignal | undefined,
  ): Promise<ServiceResponse> {
    const deadline = startDeadline(this.#timeoutMs, signal);
    try {
      const response = await this.#fetch(`${this.#baseUrl}${path}${query === undefined ? "" : `?${query}`}`, {
        method,
        headers: {
          Accept: "application/json",
          "X-API-Key": this.#apiKey,
          ...(body !== undefined && { "Content-Type": "application/json" }),
          ...headers,
        },
        ...(body !== undefined && { body }),
        // A redirect could carry the key to another host.
        redirect: "manual",
        signal: deadline.signal,
      });
      return await readResponse(response, { host: this.#host, attempts, status, mayBeMissing });
    } catch (cause) {
      if (cause instanceof CandidateServiceError) throw cause;
      signal?.throwIfAborted();
      const details = { attempts, cause };
      throw deadline.signal.aborted
        ? new CandidateServiceError(
            "timeout",
            `There was no response from ${this.#host} within ${this.#timeoutMs} ms.`,
            details,
          )
        : new CandidateServiceError(
            "connection_failed",
            `${this.#host} could not be reached, or the connection was lost: ${systemReasonOf(cause) ?? "see the cause"}.`,
            details,
          );
    } finally {
      deadline.clear();
    }
  }
}

/** A signal that aborts after a time, or when the caller's does. */
function startDeadline(ms: number, signal: AbortSignal | undefined) {
  signal?.throwIfAborted();
  const controller = new AbortController();
  const abort = () => controller.abort();
  const timer = setTimeout(abort, ms);
  const stopListening = signal && onAbort(signal, abort);
  return {
    signal: controller.signal,
    clear() {
      clearTimeout(timer);
      stopListening?.();
    },
  };
}
