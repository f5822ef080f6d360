/** The calls to the system before a connection is made (Node.js, `error.syscall`). */
const BEFORE_CONNECTION: ReadonlySet<unknown> = new Set(["connect", "getaddrinfo"]);

/** A message that contains this is not repeated, because an `externalId` may follow. */
const PATH = "/v1/";

/**
 * Why a request failed, in the words of the innermost cause, such as "connect ECONNREFUSED 127.0.0.1:4000": `fetch`
 * wraps the system's error. Undefined if there is none, or if it contains the request's URL.
 */
export function systemReasonOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, message, errors } = error as Error & { readonly code?: unknown; readonly errors?: unknown };
  // A host name with several addresses fails once for each of them.
  const causes = Array.isArray(errors) ? errors : [error.cause];
  const reasons = causes.map(systemReasonOf).filter((reason) => reason !== undefined);
  if (reasons.length > 0) return [...new Set(reasons)].join(", ");
  const isNamed = typeof code !== "string" || message.includes(code);
  const reason = isNamed ? message : [code, message].filter(Boolean).join(": ");
  return reason === "" || reason.includes(PATH) ? undefined : reason;
}

/** Whether a request failed before anything was sent. */
export function wasNotSent(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, errors, syscall } = error as Error & Readonly<Record<"code" | "errors" | "syscall", unknown>>;
  if (Array.isArray(errors)) return errors.length > 0 && errors.every(wasNotSent);
  // `fetch` gives up a connection by itself, with a code of undici.
  return BEFORE_CONNECTION.has(syscall) || code === "UND_ERR_CONNECT_TIMEOUT" || wasNotSent(error.cause);
}
