import type { Socket } from "node:net";

const brokenOnReuse = new WeakSet<object>();

/**
 * Remembers the error of a connection that has carried a response and breaks before the first byte of the next one.
 * The receiver had probably closed it as idle, so the post may be made again (RFC 9112 section 9.3.1): the event's id
 * makes it idempotent.
 *
 * @param socket carries one request at a time, read by `read()`
 */
export function watchReuse<Connection extends Socket>(socket: Connection): Connection {
  const read = socket.read.bind(socket);
  const write = socket.write.bind(socket);
  let hasResponded = false;
  let awaitsResponse = false;
  socket.write = ((...chunk: Parameters<typeof write>) => {
    awaitsResponse = true;
    return write(...chunk);
  }) as typeof socket.write;
  socket.read = (size?: number) => {
    const chunk: Buffer | null = read(size);
    if (chunk !== null && awaitsResponse) {
      awaitsResponse = false;
      hasResponded = true;
    }
    return chunk;
  };
  socket.on("error", (error) => {
    if (hasResponded && awaitsResponse) brokenOnReuse.add(error);
  });
  return socket;
}

/** Whether an error is that of a connection that {@link watchReuse} remembers. */
export function isBrokenOnReuse(error: unknown): boolean {
  return error instanceof Error && brokenOnReuse.has(error);
}
