/** How long one attempt of a request to AWS may take, in ms, its connection included. */
const ATTEMPT_MS = 2_000;
const ATTEMPTS = 3;
const CONNECTION_MS = 1_000;

/**
 * What every AWS client is made with: three attempts of at most 2 s, with the SDK's backoff between them,
 * so that a request fails before its function's timeout and the caller gets a 503.
 */
export const clientDefaults = {
  maxAttempts: ATTEMPTS,
  requestHandler: {
    connectionTimeout: CONNECTION_MS,
    requestTimeout: ATTEMPT_MS,
    throwOnRequestTimeout: true,
  },
};

/** For a request that would be carried out twice if it were repeated: one attempt, with the time of three. */
export const onceOnly = {
  maxAttempts: 1,
  requestHandler: { ...clientDefaults.requestHandler, requestTimeout: ATTEMPTS * ATTEMPT_MS },
};
