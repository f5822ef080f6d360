/** The errors of connections that broke as soon as they were used again, without a byte of a response. */
const brokenOnReuse = new WeakSet<object>();

/** Remembers the error of such a connection. */
export function rememberBrokenOnReuse(error: Error): void {
  brokenOnReuse.add(error);
}

/**
 * Whether an error is that of such a connection. The receiver had probably closed it as idle, so the post may be made
 * again (RFC 9112 section 9.3.1): the event's id makes it idempotent.
 */
export function isBrokenOnReuse(error: unknown): boolean {
  return error instanceof Error && brokenOnReuse.has(error);
}
