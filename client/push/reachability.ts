import { hostOf } from "../src/base-url.ts";
import type { CandidateServiceError, ClientOptions } from "../src/index.ts";
import type { Pacer } from "./pacer.ts";

/** Retries per call, over about a minute in all. Then the run ends, and can be resumed. */
export const RETRIES = 10;

/**
 * A call is not retried once the service has failed for this long, in ms: calls that hang take longer than
 * {@link RETRIES}.
 */
const PATIENCE_MS = 60_000;

/** The causes that break an open connection. All others, such as a wrong address, are permanent. */
const PASSING_CAUSES = new Set(["ECONNRESET", "EPIPE", "ETIMEDOUT", "UND_ERR_SOCKET"]);

/**
 * How a push retries calls: all of them wait while the service fails, for about a minute. There is no retry if the
 * service has never responded and its address is wrong or refuses connections.
 *
 * @param stop aborted to finish the attempts in progress and start no others
 */
export function retryOptions(
  pacer: Pacer,
  stop: AbortSignal,
): Pick<ClientOptions, "fetch" | "onRetry" | "retries" | "stopRetries"> {
  let hasResponded = false;
  return {
    retries: RETRIES,
    stopRetries: stop,
    async fetch(...request) {
      pacer.started();
      const response = await fetch(...request);
      hasResponded = true;
      if (response.status < 500) pacer.succeeded();
      return response;
    },
    onRetry({ error, waitMs }) {
      const isLost = error.code === "connection_failed";
      if (isLost && !hasResponded && !PASSING_CAUSES.has(rootOf(error).code ?? "")) throw error;
      if (pacer.measureFailing() >= PATIENCE_MS) throw error;
      pacer.pause(waitMs, delayReasonOf(error));
    },
  };
}

function delayReasonOf({ code, status }: CandidateServiceError): string {
  if (code === "connection_failed") return "no connection";
  if (status === undefined) return "no response";
  const isRequested = status === 429 || status === 503;
  return isRequested ? "the service asked callers to wait" : `the service fails (status code ${status})`;
}

/** Explains to the user why no connection to an address is possible. */
export function connectionProblem(error: CandidateServiceError, url: string): string {
  const { code, message } = rootOf(error);
  return `${reasonOf(code, hostOf(url), message)} Check the address ${url}, and that the service is running.`;
}

const NOT_HTTPS: readonly (string | undefined)[] = [
  "ERR_SSL_WRONG_VERSION_NUMBER",
  "ERR_SSL_PACKET_LENGTH_TOO_LONG",
];

/** Whether the address has https, but what listens there does not speak it. */
export function isNotHttps(error: CandidateServiceError): boolean {
  return NOT_HTTPS.includes(rootOf(error).code);
}

function reasonOf(code: string | undefined, host: string, message: string): string {
  if (NOT_HTTPS.includes(code)) {
    return `${host} does not speak HTTPS (${code}): its address may begin with http://.`;
  }
  switch (code) {
    case "ECONNREFUSED":
      return `${host} refuses connections (${code}): nothing listens there.`;
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return `${host} cannot be reached: the host name is not known (${code}).`;
    default:
      return `${host} cannot be reached: ${message}${code && !message.includes(code) ? ` (${code})` : ""}.`;
  }
}

/** The innermost cause. A host name with several addresses has one for each, and the first is taken. */
function rootOf(error: Error): NodeJS.ErrnoException {
  const inner = error instanceof AggregateError ? error.errors[0] : error.cause;
  return inner instanceof Error ? rootOf(inner) : error;
}
