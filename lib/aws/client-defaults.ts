/**
 * What every AWS client is made with: three attempts of at most 2 s, with the SDK's backoff between them,
 * end before the function's own time-out does, so that the caller gets an answer in the envelope.
 */
export const clientDefaults = {
  maxAttempts: 3,
  requestHandler: { connectionTimeout: 1_000, requestTimeout: 2_000, throwOnRequestTimeout: true },
};
