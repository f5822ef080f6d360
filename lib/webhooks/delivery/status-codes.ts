/** Whether a receiver acknowledged the delivery (contract, "Events", delivery rules). */
export function isSuccess(statusCode = 0): boolean {
  return statusCode >= 200 && statusCode < 300;
}

/** 410: the receiver is gone for good, and its endpoint becomes inactive. */
export function isGone(statusCode: number): boolean {
  return statusCode === 410;
}

/** Whether a `Retry-After` counts: with 429 (too many requests) and 503 (service unavailable). */
export function asksToWait(statusCode: number): boolean {
  return statusCode === 429 || statusCode === 503;
}
