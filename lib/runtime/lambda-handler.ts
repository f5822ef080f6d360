import middy from "@middy/core";
import { logger } from "#runtime/logger";
import { isSyntaxError } from "#runtime/syntax-error";

/**
 * A handler to which middlewares are added; its log lines name the invocation. Timeouts are left to Lambda, which ends
 * the execution environment. With middy's own timeout, which responds earlier, pending work would continue when the
 * next invocation thaws the environment: an SDK retry an hour later, for example, could store a part of a candidate
 * that nothing references.
 */
export function lambdaHandler<Event, Result>() {
  return middy<Event, Result>({ timeoutEarlyInMillis: 0 })
    .before(({ context }) => logger.addContext(context))
    .onError((request) => {
      // Lambda logs the message of a thrown error.
      if (isSyntaxError(request.error)) request.error = new Error("Stored text is not JSON.");
    });
}
