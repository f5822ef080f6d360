import middy from "@middy/core";

/**
 * A handler to which middlewares are added. Timeouts are left to Lambda, which ends the execution environment. middy's
 * own timeout would respond earlier, and pending work would continue when the next invocation thaws the environment: a
 * request that the SDK repeats after an hour would store a part of a candidate that nothing references.
 */
export function lambdaHandler<Event, Result>() {
  return middy<Event, Result>({ timeoutEarlyInMillis: 0 });
}
