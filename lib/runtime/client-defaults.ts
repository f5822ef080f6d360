/** The timeout of one attempt of a request to AWS, connection included, and of a pause within its response, in ms. */
export const ATTEMPT_MS = 2_000;
export const ATTEMPTS = 3;
const CONNECTION_MS = 1_000;

/**
 * The defaults of every AWS client: three attempts of at most 2 s, with the SDK's backoff between them, so that a
 * request fails before its function's timeout and the caller receives a 503.
 */
export const clientDefaults = {
  maxAttempts: ATTEMPTS,
  requestHandler: {
    connectionTimeout: CONNECTION_MS,
    requestTimeout: ATTEMPT_MS,
    // For a body that stops in the middle: the request's timeout ends when the response begins.
    socketTimeout: ATTEMPT_MS,
    throwOnRequestTimeout: true,
  },
};
