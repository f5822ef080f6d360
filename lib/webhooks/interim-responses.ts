import type { Socket } from "node:net";

const CONTINUE = /^HTTP\/1\.[01] 100(?:[ \r]|$)/;
/** As much of a status line as tells a `100 Continue` from another response. */
const STATUS_LINE = "HTTP/1.1 100".length;
const END_OF_HEAD = "\r\n\r\n";
/** How long the head of a `100 Continue` may be, in bytes; Node's own bound for any head. */
const HEAD_BYTES = 16 * 1024;
const NOTHING = Buffer.alloc(0);

/**
 * Takes a `100 Continue` out of what is read from a connection. A client must bear interim responses that it did
 * not ask for (RFC 9110 section 15.2); undici bears all but this one, at which it ends the connection.
 *
 * @param socket carries one request at a time, read by `read()`
 */
export function withoutContinue<Connection extends Socket>(socket: Connection): Connection {
  const read = socket.read.bind(socket);
  const write = socket.write.bind(socket);
  let responseBegins = false;
  let held: Buffer = NOTHING;

  socket.write = ((...chunk: Parameters<typeof write>) => {
    responseBegins = true;
    return write(...chunk);
  }) as typeof socket.write;

  socket.read = (size?: number) => {
    for (;;) {
      const chunk: Buffer | null = read(size);
      if (chunk === null || !responseBegins) return chunk;
      held = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
      while (CONTINUE.test(held.toString("latin1", 0, STATUS_LINE)) && held.includes(END_OF_HEAD)) {
        held = held.subarray(held.indexOf(END_OF_HEAD) + END_OF_HEAD.length);
      }
      const mayContinue = CONTINUE.test(held.toString("latin1", 0, STATUS_LINE)) && held.length <= HEAD_BYTES;
      if (held.length >= STATUS_LINE && !mayContinue) {
        const response = held;
        responseBegins = false;
        held = NOTHING;
        return response;
      }
    }
  };
  return socket;
}
