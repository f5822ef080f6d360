import { CandidateServiceError } from "./error.ts";
import { jsonOf } from "./request-body.ts";
import { RESPONSE_BYTES, readText } from "./response-text.ts";
import { LONGEST_TIMER_MS, parseRetryAfter, wait, waitBeforeRetryMs } from "./retry.ts";
import { isObject, type ServiceResponse } from "./service-response.ts";
import { systemReasonOf } from "./system-reason.ts";
import { isUnknownPath } from "./unknown-path.ts";

export interface ClientOptions {
  /** The address of the environment, such as `https://api.example.com`; `http` only on this machine. */
  readonly baseUrl: string;
  /** The organisation's key for that environment. */
  readonly apiKey: string;
  /** The timeout of one attempt, in ms, 1 to 2,147,483,647; 30 seconds by default. */
  readonly timeoutMs?: number | undefined;
  /** The most retries of a failed call, 0 or more; 4 by default. */
  readonly retries?: number | undefined;
  /** Called before each wait, for example to log it or to slow down other work. */
  readonly onRetry?: ((retry: Retry) => void) | undefined;
  /**
   * Once aborted, no call is repeated: attempts in progress are finished, and a wait ends at once with the error of the
   * attempt before it.
   */
  readonly stopRetries?: AbortSignal | undefined;
  /** A replacement for the global `fetch`, for a proxy or for tests. */
  readonly fetch?: typeof globalThis.fetch | undefined;
}

/** A call that failed and will be retried. */
export interface Retry {
  readonly error: CandidateServiceError;
  /** The wait before the retry, in whole ms. */
  readonly waitMs: number;
}

export interface CallOptions {
  /** Cancels the call, including its waits. The call then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** The options of a call that reads. */
export interface ReadOptions extends CallOptions {
  /** Repeats the call for as long as it fails in a way that may pass, instead of `retries` times. */
  readonly patient?: boolean | undefined;
}

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
}

/** Any other option is a misspelt one: without its `ifMatch`, an amend would overwrite. */
const CALL_OPTIONS: ReadonlySet<string> = new Set<keyof ReadOptions>(["signal", "patient"]);

const CLIENT_OPTIONS: ReadonlySet<string> = new Set<keyof ClientOptions>([
  "baseUrl",
  "apiKey",
  "timeoutMs",
  "retries",
  "onRetry",
  "stopRetries",
  "fetch",
]);

/** The host names of a URL that never leave the machine (RFC 6761, section 6.3; RFC 1122, section 3.2.1.3). */
const THIS_MACHINE = /^(?:(?:.+\.)?localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

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
  readonly #fetch: typeof globalThis.fetch;

  constructor(options: ClientOptions) {
    assertClientOptions(options);
    const { baseUrl, apiKey, timeoutMs = 30_000, retries = 4, onRetry, stopRetries, fetch } = options;
    assertBaseUrl(baseUrl);
    // fetch would refuse such a header too, but with the key in its error message.
    if (typeof apiKey !== "string" || !/^[\x21-\x7e]+$/.test(apiKey)) {
      throw new TypeError("apiKey: visible ASCII characters are expected");
    }
    assertLimits(timeoutMs, retries);
    this.#baseUrl = baseUrl.replace(/\/+$/, "");
    this.#host = hostOf(baseUrl);
    this.#apiKey = apiKey;
    this.#timeoutMs = timeoutMs;
    this.#retries = retries;
    this.#onRetry = onRetry;
    this.#stopRetries = stopRetries;
    this.#fetch = fetch ?? ((...request) => globalThis.fetch(...request));
  }

  async send(call: Call, options: ReadOptions = {}): Promise<ServiceResponse> {
    const unknown = unknownName(options, CALL_OPTIONS);
    if (unknown !== undefined) throw new TypeError(`options: this call has no option ${unknown}`);
    const { signal, patient = false } = options;
    assertSignal("signal", signal);
    // Before the first attempt, so that it is not taken for a lost connection.
    const json = "body" in call ? jsonOf(call.body) : undefined;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#attempt(call, json, attempt, signal);
      } catch (error) {
        const { idempotent } = call;
        const isLast = this.#stopRetries?.aborted || (!patient && attempt > this.#retries);
        if (!(error instanceof CandidateServiceError) || isLast) throw error;
        const waitMs = waitBeforeRetryMs({ error, idempotent, patient, random: Math.random() });
        if (waitMs === undefined) throw error;
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
      const expectation = { host: this.#host, attempts, expected: status, mayBeMissing };
      return read(response, await readText(response), expectation);
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

function assertBaseUrl(baseUrl: unknown): asserts baseUrl is string {
  if (typeof baseUrl !== "string" || !/^https?:\/\/[^?#\s]+$/i.test(baseUrl) || !URL.canParse(baseUrl)) {
    throw new TypeError(
      "baseUrl: an absolute http or https URL without query, fragment or spaces is expected",
    );
  }
  const { protocol, hostname, pathname, username, password } = new URL(baseUrl);
  if (protocol === "http:" && !THIS_MACHINE.test(hostname)) {
    throw new TypeError(
      "baseUrl: https is expected; http would send the key and personal data unencrypted, and is accepted only for this machine (localhost, 127.0.0.1, [::1])",
    );
  }
  if (/\/v1(?:\/|$)/.test(pathname)) {
    throw new TypeError("baseUrl: the address without /v1 is expected, which the client adds");
  }
  // fetch refuses such a URL with an error that contains the password.
  if (username || password) throw new TypeError("baseUrl: a URL without user name or password is expected");
}

/** With a time outside the range of timers, every attempt would time out at once. */
function assertLimits(timeoutMs: number, retries: number): void {
  if (typeof timeoutMs !== "number" || !(timeoutMs >= 1 && timeoutMs <= LONGEST_TIMER_MS)) {
    throw new TypeError(`timeoutMs: a number of milliseconds from 1 to ${LONGEST_TIMER_MS} is expected`);
  }
  if (!Number.isInteger(retries) || retries < 0) {
    throw new TypeError("retries: a whole number, 0 or more, is expected");
  }
}

/** Checks the options whose mistakes would show only later, or never. */
function assertClientOptions(options: ClientOptions): void {
  const unknown = unknownName(options, CLIENT_OPTIONS);
  if (unknown !== undefined) {
    throw new TypeError(
      `options: the client has no option ${unknown}; expected are ${[...CLIENT_OPTIONS].join(", ")}`,
    );
  }
  const { onRetry, stopRetries, fetch } = options;
  for (const [name, value] of Object.entries({ onRetry, fetch })) {
    if (value !== undefined && typeof value !== "function") {
      throw new TypeError(`${name}: a function is expected`);
    }
  }
  assertSignal("stopRetries", stopRetries);
}

/** The first name that an object has and should not have. */
function unknownName(options: unknown, names: ReadonlySet<string>): string | undefined {
  assertOptions(options);
  return Object.keys(options).find((name) => !names.has(name));
}

/** Checks options before their members are read: those of an AbortSignal, for example, would all be missing. */
export function assertOptions(options: unknown): asserts options is object {
  if (!isObject(options)) throw new TypeError("options: an object is expected");
  if (options instanceof AbortSignal) throw new TypeError("options: pass the signal as { signal }");
}

function assertSignal(name: string, signal: unknown): void {
  if (signal !== undefined && !(isObject(signal) && "throwIfAborted" in signal)) {
    throw new TypeError(`${name}: an AbortSignal is expected`);
  }
}

/** A signal that aborts after a time, or when the caller's does. */
function startDeadline(ms: number, signal: AbortSignal | undefined) {
  signal?.throwIfAborted();
  const controller = new AbortController();
  const abort = () => controller.abort();
  const timer = setTimeout(abort, ms);
  signal?.addEventListener("abort", abort, { once: true });
  return {
    signal: controller.signal,
    clear() {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
    },
  };
}

function hostOf(baseUrl: string): string {
  const { protocol, hostname, port } = new URL(baseUrl);
  return `${hostname}:${port || (protocol === "https:" ? 443 : 80)}`;
}

function read(
  { ok, status, headers }: Response,
  text: string | undefined,
  {
    host,
    attempts,
    expected,
    mayBeMissing,
  }: {
    readonly host: string;
    readonly attempts: number;
    readonly expected: number;
    readonly mayBeMissing: boolean;
  },
): ServiceResponse {
  const details = {
    status,
    requestId: headers.get("X-Request-Id") ?? undefined,
    retryAfterMs: parseRetryAfter(headers.get("Retry-After")),
    attempts,
  };
  if (text === undefined) {
    throw new CandidateServiceError(
      "unexpected_response",
      `The response from ${host} (status code ${status}) is larger than ${RESPONSE_BYTES} bytes, which the service never sends. Check baseUrl, and any proxy in between.`,
      details,
    );
  }
  const body = parse(text);
  if (status === expected && body !== NOT_JSON) return { status, headers, body, attempts };
  if (status === 404 && isUnknownPath(body) && !mayBeMissing) {
    throw new CandidateServiceError(
      "unexpected_response",
      `${host} does not have the operation's path (status code ${status}). Check baseUrl: the base address of the environment is expected, such as https://api.example.com.`,
      details,
    );
  }
  if (!ok && isEnvelope(body)) throw new CandidateServiceError(body.error, body.message, details);
  throw new CandidateServiceError(
    "unexpected_response",
    `The response from ${host} (status code ${status}) did not come from the service. Check baseUrl, and any proxy in between.`,
    details,
  );
}

const NOT_JSON = Symbol("not JSON");

function parse(text: string): unknown {
  if (text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return NOT_JSON;
  }
}

function isEnvelope(body: unknown): body is { readonly error: string; readonly message: string } {
  return isObject(body) && typeof body["error"] === "string" && typeof body["message"] === "string";
}
