import { isObject } from "./checks.ts";

/** The calls to the system before a connection is made (Node.js, `error.syscall`). */
const BEFORE_CONNECTION: ReadonlySet<unknown> = new Set(["connect", "getaddrinfo"]);
/** The codes of errors without `syscall`: Bun's, and undici's when it gives up a connection by itself. */
const NOT_CONNECTED: ReadonlySet<unknown> = new Set(["ECONNREFUSED", "UND_ERR_CONNECT_TIMEOUT"]);

/** The reason in a message of Deno, after the request's URL (hyper-util, `legacy::Error`). */
const DENO_REASON = /: (client error \(\w+\): .+)$/s;

/** A message that contains this is not repeated, because an `externalId` may follow. */
const PATH = "/v1/";

/**
 * Why a request failed, in the words of the innermost cause, such as "connect ECONNREFUSED 127.0.0.1:4000": `fetch`
 * wraps the system's error. Undefined if there is none, or if it contains the request's URL.
 */
export function systemReasonOf(error: unknown): string | undefined {
  if (!isError(error)) return undefined;
  const { code, message, errors, cause } = error;
  // A host name with several addresses fails once for each of them.
  const causes = Array.isArray(errors) ? errors : [cause];
  const reasons = causes.map(systemReasonOf).filter((reason) => reason !== undefined);
  if (reasons.length > 0) return [...new Set(reasons)].join(", ");
  const isNamed = typeof code !== "string" || message.includes(code);
  const named = isNamed ? message : [code, message].filter(Boolean).join(": ");
  const text = DENO_REASON.exec(message)?.[1] ?? named;
  // The caller ends the sentence. OpenSSL's reasons end with a colon and a line break, Bun's with a question mark.
  const reason = text.trim().replace(/[.?!:]$/, "");
  return reason === "" || reason.includes(PATH) ? undefined : reason;
}

/** Whether a request failed before anything was sent. */
export function wasNotSent(error: unknown): boolean {
  if (!isError(error)) return false;
  const { code, message, errors, syscall, cause } = error;
  if (Array.isArray(errors)) return errors.length > 0 && errors.every(wasNotSent);
  return (
    BEFORE_CONNECTION.has(syscall) ||
    NOT_CONNECTED.has(code) ||
    message.includes("client error (Connect)") ||
    wasNotSent(cause)
  );
}

interface SystemError {
  readonly message: string;
  readonly code?: unknown;
  readonly syscall?: unknown;
  readonly cause?: unknown;
  readonly errors?: unknown;
}

/** Also of another realm, where `instanceof` fails: in Jest's tests, `fetch` throws errors of Node's own realm. */
function isError(value: unknown): value is SystemError {
  return isObject(value) && typeof value["message"] === "string";
}
