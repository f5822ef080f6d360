import type { Socket } from "node:net";
import { ProtocolSwitched, ResponseTooLong } from "#webhooks/delivery/attempt-failure";

/** The start of a status line, up to what follows its status code, which is no fourth digit. */
const STATUS_LINE = /^HTTP\/1\.[01] (\d{3})\D/;
const STATUS_LINE_BYTES = "HTTP/1.1 100 ".length;
const PROTOCOL = "HTTP/1.";
const STATUS_DIGIT = "HTTP/1.1 ".length;
const DIGIT_ONE = "1".charCodeAt(0);
const END_OF_HEAD = "\r\n\r\n";
/** The most bytes in the head of an interim response; Node's own limit for any head. */
const HEAD_BYTES = 16 * 1024;
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
const ROUND_TRIP = 500;

/** Whether a response is final, by the first digit of its status code: a fast path for nearly all responses. */
function isFinal(chunk: Buffer): boolean {
  return chunk.length >= STATUS_LINE_BYTES && chunk[STATUS_DIGIT] !== DIGIT_ONE;
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
    if (!this.#hasResponded || !this.#isAwaited || performance.now() - this.#requestedAt > ROUND_TRIP)
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
   * The bytes that may be read once a chunk has arrived: interim responses other than 100, and the response once it
   * begins.
   *
   * @throws ResponseTooLong after {@link RESPONSE_BYTES}, once the chunk that exceeds them has passed
   * @throws ProtocolSwitched after a 101
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
    const passed: Buffer[] = [];
    // What is no HTTP/1 is not waited for: it may be all that comes.
    if (!PROTOCOL.startsWith(this.#held.toString("latin1", 0, PROTOCOL.length))) this.#arrive();
    while (this.#isAwaited && this.#held.length >= STATUS_LINE_BYTES) {
      const interim = this.#interim();
      if (interim === undefined) break;
      passed.push(interim);
    }
    if (!this.#isAwaited) {
      passed.push(this.#held);
      this.#held = NOTHING;
    }
    const [first = NOTHING, ...more] = passed;
    return more.length === 0 ? first : Buffer.concat(passed);
  }

  #arrive(): void {
    this.#isAwaited = false;
    this.#hasResponded = true;
  }

  /** Takes the next interim response; nothing of a 100. Undefined if it is not complete, or the response begins. */
  #interim(): Buffer | undefined {
    const [, status = ""] = STATUS_LINE.exec(this.#held.toString("latin1", 0, STATUS_LINE_BYTES)) ?? [];
    if (status === "101") throw new ProtocolSwitched();
    const end = this.#held.indexOf(END_OF_HEAD);
    const isInterim = status.startsWith("1");
    if (isInterim && end < 0 && this.#held.length <= HEAD_BYTES) return undefined;
    if (!isInterim || end < 0) {
      this.#arrive();
      return undefined;
    }
    const next = end + END_OF_HEAD.length;
    const interim = this.#held.subarray(0, next);
    this.#held = this.#held.subarray(next);
    return status === "100" ? NOTHING : interim;
  }
}

/**
 * Removes each `100 Continue` from the bytes read from a connection. A client must accept interim responses that it did
 * not request (RFC 9110 section 15.2). undici accepts all except this one, for which it closes the connection. A
 * connection is closed if one response, with the interim ones before it, is longer than 64 KiB.
 *
 * @param socket carries one request at a time, read by `read()`
 * @param onBrokenOnReuse called with the error if the connection has carried a response, and breaks soon after the next
 *   request without a byte
 */
export function withoutContinue<Connection extends Socket>(
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
