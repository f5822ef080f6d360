import type { Socket } from "node:net";
import { InvalidStatusCode, ProtocolSwitched, ResponseTooLong } from "#webhooks/delivery/attempt-failure";

/** The start of a status line, up to what follows its status code, which is no fourth digit. */
const STATUS_LINE = /^HTTP\/1\.[01] (\d{3})\D/;
const STATUS_LINE_BYTES = "HTTP/1.1 100 ".length;
const PROTOCOL = "HTTP/1.";
const STATUS_DIGIT = "HTTP/1.1 ".length;
const DIGIT_ONE = "1".charCodeAt(0);
const END_OF_HEAD = "\r\n\r\n";
/**
 * The most bytes in the head of a response or of an interim one: Node's default, which runtimes of Lambda raise to
 * 80 KiB (AWS SAM CLI, `lambda_debug_settings.py`: `--max-http-header-size 81920`).
 */
export const HEAD_BYTES = 16 * 1024;
/**
 * The most bytes that are read of one response, with interim responses, head and body: more would only occupy the
 * processor. undici counts neither a reason phrase nor line breaks before it, nor what surrounds a chunk of the body.
 */
const RESPONSE_BYTES = 64 * 1024;
const NOTHING = Buffer.alloc(0);
/**
 * How soon after a request a connection breaks that the receiver had closed as idle, in ms: a round trip. One that
 * breaks later had received the request, and failed while processing it.
 */
const ROUND_TRIP_MS = 500;

/** Whether a response is final, by the first digit of its status code: a fast path for nearly all responses. */
function isFinal(chunk: Buffer): boolean {
  return chunk.length >= STATUS_LINE_BYTES && (chunk[STATUS_DIGIT] ?? 0) > DIGIT_ONE;
}

/** The bytes that have arrived of the response that a connection waits for. */
class AwaitedResponse {
  #isAwaited = false;
  #hasResponded = false;
  #held: Buffer = NOTHING;
  #bytes = 0;
  #requestedAt = 0;

  /** Whether an earlier response has arrived, and soon after this request not a byte. */
  get isMissingOnReuse(): boolean {
    if (!this.#hasResponded || !this.#isAwaited || performance.now() - this.#requestedAt > ROUND_TRIP_MS)
      return false;
    return this.#bytes === 0;
  }

  /** A request is written. */
  requested(): void {
    this.#isAwaited = true;
    this.#bytes = 0;
    this.#requestedAt = performance.now();
  }

  /**
   * The bytes that may be read once a chunk has arrived: none until the response begins.
   *
   * @throws ResponseTooLong after {@link RESPONSE_BYTES}, once the chunk that exceeds them has passed
   * @throws ProtocolSwitched after a 101
   * @throws InvalidStatusCode after one below 100
   */
  passed(chunk: Buffer): Buffer {
    if (this.#bytes > RESPONSE_BYTES) throw new ResponseTooLong();
    this.#bytes += chunk.length;
    if (!this.#isAwaited) return chunk;
    if (this.#held.length === 0 && isFinal(chunk)) {
      this.#arrive();
      return chunk;
    }
    this.#held = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    // What is no HTTP/1 is not waited for: it may be all that comes.
    if (!PROTOCOL.startsWith(this.#held.toString("latin1", 0, PROTOCOL.length))) this.#arrive();
    while (this.#isAwaited && this.#held.length >= STATUS_LINE_BYTES) {
      if (!this.#removeInterim()) break;
    }
    if (this.#isAwaited) return NOTHING;
    const passed = this.#held;
    this.#held = NOTHING;
    return passed;
  }

  #arrive(): void {
    this.#isAwaited = false;
    this.#hasResponded = true;
  }

  /** Removes the next interim response. Returns false if it is not complete, or the response begins. */
  #removeInterim(): boolean {
    const [, status = ""] = STATUS_LINE.exec(this.#held.toString("latin1", 0, STATUS_LINE_BYTES)) ?? [];
    if (status === "101") throw new ProtocolSwitched();
    if (status.startsWith("0")) throw new InvalidStatusCode();
    const end = this.#held.indexOf(END_OF_HEAD);
    const isInterim = status.startsWith("1");
    if (isInterim && end < 0 && this.#held.length <= HEAD_BYTES) return false;
    if (!isInterim || end < 0) {
      this.#arrive();
      return false;
    }
    this.#held = this.#held.subarray(end + END_OF_HEAD.length);
    return true;
  }
}

/**
 * Removes interim responses from the bytes read from a connection. A client must accept those that it did not request
 * (RFC 9110 section 15.2). undici closes the connection for a 100, and refuses the response after one with
 * `Connection: close`, which means that the receiver closes the connection after the response (RFC 9112 section 9.6). A
 * connection is closed if one response, with the interim ones before it, is longer than 64 KiB.
 *
 * @param socket carries one request at a time, read by `read()`
 * @param onBrokenOnReuse called with the error if the connection has carried a response, and breaks soon after the next
 *   request without a byte
 */
export function withoutInterimResponses<Connection extends Socket>(
  socket: Connection,
  onBrokenOnReuse: (error: Error) => void,
): Connection {
  const read = socket.read.bind(socket);
  const write = socket.write.bind(socket);
  const response = new AwaitedResponse();
  socket.on("error", (error) => {
    if (response.isMissingOnReuse) onBrokenOnReuse(error);
    // Otherwise the end of the connection would follow, and undici would report that instead of an alert of TLS 1.3.
    socket.destroy(error);
  });
  socket.write = ((...chunk: Parameters<typeof write>) => {
    response.requested();
    return write(...chunk);
  }) as typeof socket.write;
  socket.read = (size?: number) => {
    for (;;) {
      const chunk: Buffer | null = read(size);
      if (chunk === null) return chunk;
      try {
        const passed = response.passed(chunk);
        if (passed.length > 0) return passed;
      } catch (error) {
        socket.destroy(error as Error);
        return null;
      }
    }
  };
  return socket;
}
