import { isLoopback } from "./base-url.ts";
import { isObject } from "./checks.ts";
import type { CandidateServiceError } from "./error.ts";
import type { Fetch } from "./fetch.ts";
import { LONGEST_TIMER_MS } from "./wait.ts";

export interface ClientOptions {
  /** The address of the environment, such as `https://api.example.com`; `http` only on this machine. */
  readonly baseUrl: string | URL;
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
  readonly fetch?: Fetch | undefined;
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

/** The options of every call. Any other is refused: with `ifMatch` misspelt, an amend would overwrite other changes. */
const CALL_OPTIONS: ReadonlySet<string> = new Set<keyof CallOptions>(["signal"]);

const CLIENT_OPTIONS: ReadonlySet<string> = new Set<keyof ClientOptions>([
  "baseUrl",
  "apiKey",
  "timeoutMs",
  "retries",
  "onRetry",
  "stopRetries",
  "fetch",
]);

/** @throws TypeError if an option is wrong; its message begins with the option's name */
export function assertClientOptions(options: ClientOptions): void {
  const unknown = unknownName(options, CLIENT_OPTIONS);
  if (unknown !== undefined) {
    throw new TypeError(
      `options: the client has no option ${unknown}; expected are ${[...CLIENT_OPTIONS].join(", ")}`,
    );
  }
  const { baseUrl, apiKey, timeoutMs, retries, onRetry, stopRetries, fetch } = options;
  assertFunctions({ onRetry, fetch });
  assertSignal("stopRetries", stopRetries);
  assertBaseUrl(String(baseUrl));
  assertApiKey(apiKey);
  assertLimits({ timeoutMs, retries });
}

/** @throws TypeError if an option of a call is wrong */
export function assertCallOptions(options: CallOptions): void {
  const unknown = unknownName(options, CALL_OPTIONS);
  if (unknown !== undefined) throw new TypeError(`options: this call has no option ${unknown}`);
  assertSignal("signal", options.signal);
}

/** Checks options before their members are read: those of an AbortSignal, for example, would all be missing. */
export function assertOptions(options: unknown): asserts options is object {
  if (!isObject(options)) throw new TypeError("options: an object is expected");
  if (options instanceof AbortSignal) throw new TypeError("options: pass the signal as { signal }");
}

/** The first name that an object has and should not have. */
function unknownName(options: unknown, names: ReadonlySet<string>): string | undefined {
  assertOptions(options);
  return Object.keys(options).find((name) => !names.has(name));
}

function assertFunctions(options: Pick<ClientOptions, "onRetry" | "fetch">): void {
  for (const [name, value] of Object.entries(options)) {
    if (value !== undefined && typeof value !== "function") {
      throw new TypeError(`${name}: a function is expected`);
    }
  }
}

function assertSignal(name: string, signal: unknown): void {
  if (signal !== undefined && !(isObject(signal) && "throwIfAborted" in signal)) {
    throw new TypeError(`${name}: an AbortSignal is expected`);
  }
}

function assertBaseUrl(baseUrl: string): void {
  if (!/^https?:\/\/[^?#\s]+$/i.test(baseUrl) || !URL.canParse(baseUrl)) {
    throw new TypeError(
      "baseUrl: an absolute http or https URL without query, fragment or spaces is expected",
    );
  }
  const { protocol, hostname, pathname, username, password } = new URL(baseUrl);
  if (protocol === "http:" && !isLoopback(hostname)) {
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

function assertApiKey(apiKey: unknown): void {
  // fetch would refuse such a header too, but with the key in its error message.
  if (typeof apiKey !== "string" || !/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new TypeError("apiKey: visible ASCII characters are expected");
  }
}

/** With a time outside the range of timers, every attempt would time out at once. */
function assertLimits({ timeoutMs, retries }: Pick<ClientOptions, "timeoutMs" | "retries">): void {
  if (
    timeoutMs !== undefined &&
    !(typeof timeoutMs === "number" && timeoutMs >= 1 && timeoutMs <= LONGEST_TIMER_MS)
  ) {
    throw new TypeError(`timeoutMs: a number of milliseconds from 1 to ${LONGEST_TIMER_MS} is expected`);
  }
  if (retries !== undefined && !(Number.isInteger(retries) && retries >= 0)) {
    throw new TypeError("retries: a whole number, 0 or more, is expected");
  }
}
