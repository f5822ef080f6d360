import type { Socket } from "node:net";
import { TooManyInterimResponses } from "#webhooks/delivery/attempt-failure";

/** The start of a status line, up to its status code. */
const STATUS_LINE = /^HTTP\/1\.[01] (\d{3})/;
const STATUS_LINE_BYTES = "HTTP/1.1 100".length;
const STATUS_DIGIT = "HTTP/1.1 ".length;
const DIGIT_ONE = "1".charCodeAt(0);
const END_OF_HEAD = "\r\n\r\n";
/** The most bytes in the head of an interim response; Node's own limit for any head. */
const HEAD_BYTES = 16 * 1024;
/** The most bytes of interim responses before one response: more would only occupy the processor. */
const INTERIM_BYTES = HEAD_BYTES;
const NOTHING = Buffer.alloc(0);

/** Whether a response is final, by the first digit of its status code: a fast path for nearly all responses. */
function isFinal(chunk: Buffer): boolean {
  return chunk.length >= STATUS_LINE_BYTES && chunk[STATUS_DIGIT] !== DIGIT_ONE;
}

/**
 * Removes each `100 Continue` from the bytes read from a connection. A client must accept interim responses that it did
 * not request (RFC 9110 section 15.2). undici accepts all except this one, for which it closes the connection. A
 * connection with more than 16 KiB of interim responses before one response is closed.
 *
 * @param socket carries one request at a time, read by `read()`
 */
export function withoutContinue<Connection extends Socket>(socket: Connection): Connection {
  const read = socket.read.bind(socket);
  const write = socket.write.bind(socket);
  let responseBegins = false;
  let held: Buffer = NOTHING;
  let interimBytes = 0;

  socket.write = ((...chunk: Parameters<typeof write>) => {
    responseBegins = true;
    interimBytes = 0;
    return write(...chunk);
  }) as typeof socket.write;

  socket.read = (size?: number) => {
    for (;;) {
      const chunk: Buffer | null = read(size);
      if (chunk === null || !responseBegins) return chunk;
      if (held.length === 0 && isFinal(chunk)) {
        responseBegins = false;
        return chunk;
      }
      held = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
      const passed = passInterim();
      if (passed.length > 0) return passed;
    }
  };
  return socket;

  /** The buffered bytes that may be read: interim responses other than 100, and the response once it begins. */
  function passInterim(): Buffer {
    const passed: Buffer[] = [];
    while (held.length >= STATUS_LINE_BYTES) {
      const [, status = ""] = STATUS_LINE.exec(held.toString("latin1", 0, STATUS_LINE_BYTES)) ?? [];
      const end = held.indexOf(END_OF_HEAD);
      const isInterim = status.startsWith("1") && status !== "101";
      if (isInterim && end < 0 && held.length <= HEAD_BYTES) break;
      responseBegins = isInterim && end >= 0;
      const next = responseBegins ? end + END_OF_HEAD.length : held.length;
      if (responseBegins) interimBytes += next;
      if (interimBytes > INTERIM_BYTES) {
        socket.destroy(new TooManyInterimResponses());
        held = NOTHING;
        return NOTHING;
      }
      if (!responseBegins || status !== "100") passed.push(held.subarray(0, next));
      held = responseBegins ? held.subarray(next) : NOTHING;
    }
    const [first = NOTHING, ...more] = passed;
    return more.length === 0 ? first : Buffer.concat(passed);
  }
}
