/** Lambda's quota for the payload of a synchronous invocation, request and response each: 6 MB. */
export const INVOCATION_BYTES = 6 * 1024 * 1024;

/** The same for the request of an asynchronous invocation: 1 MB (AWS Lambda API reference, "Invoke"). */
export const EVENT_BYTES = 1024 * 1024;
