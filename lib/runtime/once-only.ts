import type { SQSClientConfig } from "@aws-sdk/client-sqs";
import { ATTEMPT_MS, ATTEMPTS, clientDefaults } from "#runtime/client-defaults";

/** The errors of a connection that broke (Node.js, "Common system errors"). */
const BROKEN = new Set(["ECONNRESET", "EPIPE"]);

/**
 * Whether a request failed because its connection broke.
 *
 * @internal Exported for the simulation's clients.
 */
export function hasBrokenConnection(error: unknown): boolean {
  return error instanceof Error && "code" in error && BROKEN.has(String(error.code));
}

const retryToken = (retries: number) => ({
  getRetryCount: () => retries,
  getRetryCost: () => 0,
  getRetryDelay: () => 0,
});

/** One more attempt, at once, if the connection broke, and none after any other failure. */
const afterBrokenConnection = {
  acquireInitialRetryToken: async () => retryToken(0),
  async refreshRetryTokenForRetry({ getRetryCount }, { error }) {
    if (getRetryCount() > 0 || !hasBrokenConnection(error)) throw error;
    return retryToken(1);
  },
  recordSuccess: () => {},
} satisfies SQSClientConfig["retryStrategy"];

/**
 * For requests that must not be sent twice: one attempt, with three times the timeout. Only if the connection breaks is
 * there another one: Lambda freezes a function between invocations, in which a service closes its idle connections, so
 * that the first request after that would often fail.
 */
export const onceOnly = {
  maxAttempts: 1,
  retryStrategy: afterBrokenConnection,
  requestHandler: {
    ...clientDefaults.requestHandler,
    requestTimeout: ATTEMPTS * ATTEMPT_MS,
    socketTimeout: ATTEMPTS * ATTEMPT_MS,
  },
};
