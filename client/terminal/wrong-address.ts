import { CandidateServiceError } from "../src/index.ts";

/** The status codes of a path that a service or a gateway does not have. */
const NO_SUCH_PATH = new Set([403, 404, 405]);

/**
 * Whether the path of an operation does not exist, as reported by the service or any other server. A frozen record also
 * has a 404.
 *
 * @param error of an operation that has no `not_found` of its own
 */
export function isNoSuchPath(error: unknown): error is CandidateServiceError {
  if (!(error instanceof CandidateServiceError)) return false;
  const { code, status = 0 } = error;
  return NO_SUCH_PATH.has(status) && code !== "consent_revoked";
}

/** Explains to the user that an address does not lead to the service's paths. */
export function addressProblem({ status, requestId }: CandidateServiceError, url: string): string {
  const request = requestId ? `, request ${requestId}` : "";
  return `${url} does not lead to the service's paths (status code ${status}${request}). Give the base address of the environment, such as https://api.example.com; the command adds /v1 and the rest of the path.`;
}
