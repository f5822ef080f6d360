import middy from "@middy/core";

/**
 * A handler that middlewares are added to. Timeouts are left to Lambda, which ends the execution environment. middy's
 * own would respond a moment earlier, and what is still under way would go on whenever the next invocation thaws the
 * environment: a request that the SDK repeats after an hour stores a part of a candidate that nothing names any more.
 */
export function lambdaHandler<Event, Result>() {
  return middy<Event, Result>({ timeoutEarlyInMillis: 0 });
}
