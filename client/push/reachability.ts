import { CandidateServiceError, type ClientOptions } from "../src/index.ts";
import type { Pacer } from "./pacer.ts";

/** Retries per call, over about a minute in all. Then the run ends, and can be resumed. */
export const RETRIES = 10;

/** What breaks a connection that was there. All else, such as a wrong address, stays as it is. */
const PASSING_CAUSES = new Set(["ECONNRESET", "EPIPE", "ETIMEDOUT", "UND_ERR_SOCKET"]);

/**
 * How a push repeats calls: all of them wait while the service fails. A service that has never responded is not tried
 * again if its address is wrong or refuses connections.
 *
 * @param stop aborted to finish the attempts in progress and make no others
 */
export function retries(
  pacer: Pacer,
  stop: AbortSignal,
): Pick<ClientOptions, "fetch" | "onRetry" | "retries" | "stopRetries"> {
  let hasResponded = false;
  return {
    retries: RETRIES,
    stopRetries: stop,
    async fetch(...request) {
      const response = await fetch(...request);
      hasResponded = true;
      return response;
    },
    onRetry({ error, waitMs }) {
      if (error.code === "connection_failed") {
        if (!hasResponded && !PASSING_CAUSES.has(rootOf(error).code ?? "")) throw error;
        pacer.pause(waitMs, "no connection");
      } else if (error.status === 429 || error.status === 503) {
        pacer.pause(waitMs, "the service requested a wait");
      }
    },
  };
}

/** The status codes of a path that a service or a gateway does not have. */
const NO_SUCH_PATH = new Set([403, 404, 405]);

/**
 * Whether there is nothing at the path of an operation, in the service's own words or those of another program. Frozen
 * access has a 404 too.
 *
 * @param error of an operation that has no `not_found` of its own
 */
export function isNoSuchPath(error: unknown): error is CandidateServiceError {
  if (!(error instanceof CandidateServiceError)) return false;
  const { code, status = 0 } = error;
  return NO_SUCH_PATH.has(status) && code !== "consent_revoked";
}

/** What is wrong with an address at which the service's paths are not, in sentences. */
export function addressProblem({ status, requestId }: CandidateServiceError, url: string): string {
  const request = requestId ? `, request ${requestId}` : "";
  const [base, version] = url.split(/(\/v1(?:\/.*)?$)/);
  const example = version ? `Leave ${version} out: ${base}.` : "It looks like https://api.example.com.";
  return `${url} does not lead to the service's paths (status code ${status}${request}). Give the base address of the environment, to which the command adds /v1 and what follows. ${example}`;
}

/** Why there is no connection to an address, in a sentence. */
export function connectionProblem(error: CandidateServiceError, url: string): string {
  const { hostname, port, protocol } = new URL(url);
  const host = `${hostname}:${port || (protocol === "https:" ? 443 : 80)}`;
  const { code, message } = rootOf(error);
  return `${reasonOf(code, host, message)} Check the address ${url}, and that the service is running.`;
}

function reasonOf(code: string | undefined, host: string, message: string): string {
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
