import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import { describe, expect, test } from "vitest";
import { InvalidStatusCode, ProtocolSwitched, ResponseTooLong } from "#webhooks/delivery/attempt-failure";
import { withoutInterimResponses } from "#webhooks/delivery/interim-responses";

const CONTINUE = "HTTP/1.1 100 Continue\r\n\r\n";
const HINTS = "HTTP/1.1 103 Early Hints\r\nLink: </style.css>\r\n\r\n";
const RESPONSE = "HTTP/1.1 202 Accepted\r\nContent-Length: 2\r\n\r\nok";
/** The limit of a head, in bytes. */
const HEAD_BYTES = 16 * 1024;

function aConnection() {
  const wire = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() });
  const socket = withoutInterimResponses(wire as unknown as Socket, () => {});
  return {
    wire,
    request: () => void socket.write("POST / HTTP/1.1\r\n\r\n"),
    /** What can be read once these bytes have arrived. */
    readAfter(bytes: string): string {
      wire.push(bytes, "latin1");
      const chunks: Buffer[] = [];
      for (let chunk = socket.read(); chunk !== null; chunk = socket.read()) chunks.push(chunk);
      expect(chunks).not.toContainEqual(Buffer.alloc(0));
      return Buffer.concat(chunks).toString("latin1");
    },
  };
}

/** What is read of a response that arrives in these pieces. */
function readOf(...pieces: readonly string[]): string {
  const { request, readAfter } = aConnection();
  request();
  return pieces.map(readAfter).join("");
}

describe("an interim response that was not requested", () => {
  test.each([
    ["before the response", CONTINUE + RESPONSE, RESPONSE],
    ["twice", CONTINUE + CONTINUE + RESPONSE, RESPONSE],
    ["with headers", `HTTP/1.1 100 Continue\r\nX-Note: 1\r\n\r\n${RESPONSE}`, RESPONSE],
    ["over HTTP/1.0", `HTTP/1.0 100 Continue\r\n\r\n${RESPONSE}`, RESPONSE],
    ["with another status code", HINTS + RESPONSE, RESPONSE],
    ["before another one", CONTINUE + HINTS + RESPONSE, RESPONSE],
    ["after another one", HINTS + CONTINUE + RESPONSE, RESPONSE],
  ])("is removed, wherever the bytes are divided: %s", (_where, sent, read) => {
    for (let at = 1; at < sent.length; at++) {
      expect(readOf(sent.slice(0, at), sent.slice(at)), `divided at ${at}`).toBe(read);
    }
    expect(readOf(...sent)).toBe(read);
  });

  test("is removed after each request of a connection", () => {
    const { request, readAfter } = aConnection();

    for (let requests = 0; requests < 3; requests++) {
      request();
      expect(readAfter(CONTINUE)).toBe("");
      expect(readAfter(RESPONSE)).toBe(RESPONSE);
    }
  });

  test("is kept if its head is longer than 16 KiB, so that the client refuses it", () => {
    const head = `HTTP/1.1 100 Continue\r\nX-Note: ${"x".repeat(HEAD_BYTES)}`.slice(0, HEAD_BYTES);
    const { request, readAfter } = aConnection();
    request();

    expect(readAfter(head)).toBe("");
    expect(readAfter("x")).toBe(`${head}x`);
    expect(readAfter(CONTINUE)).toBe(CONTINUE);
  });
});

describe("bytes that only look like a 100 response are read as they are", () => {
  test.each([
    ["in the body of a response", "HTTP/1.1 200 OK\r\nContent-Length: 25\r\n\r\n"],
    ["in the body of a response after a 100", `${CONTINUE}HTTP/1.1 200 OK\r\nContent-Length: 25\r\n\r\n`],
    ["after what is no HTTP", "ICY 100 OK\r\n\r\n"],
  ])("%s", (_where, before) => {
    const read = before.replace(CONTINUE, "") + CONTINUE;

    expect(readOf(before + CONTINUE)).toBe(read);
    expect(readOf(before, CONTINUE)).toBe(read);
    expect(readOf(...before, ...CONTINUE)).toBe(read);
  });

  test("before anything is requested", () => {
    expect(aConnection().readAfter(CONTINUE)).toBe(CONTINUE);
  });
});

describe("a connection is closed after 64 KiB of one response", () => {
  const RESPONSE_BYTES = 64 * 1024;

  test.each([
    ["of interim responses", HINTS],
    ["of 100 responses", CONTINUE],
    ["of line breaks before it", "\r\n"],
    ["of what is no HTTP", "x"],
    ["in a reason phrase", "x", "HTTP/1.1 200 "],
    ["in a body", "x", "HTTP/1.1 200 OK\r\n\r\n"],
    ["in what surrounds a chunk", "x", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;"],
  ])("%s", (_where, repeated, before = "") => {
    const { wire, request, readAfter } = aConnection();
    wire.on("error", () => {});
    const most = repeated.repeat(Math.floor((RESPONSE_BYTES - before.length) / repeated.length));
    for (let requests = 0; requests < 3; requests++) {
      request();
      readAfter(before + most);
      expect(wire.destroyed).toBe(false);
    }

    readAfter(repeated);
    expect(wire.destroyed).toBe(false);
    readAfter(repeated);

    expect(wire.errored).toEqual(new ResponseTooLong());
  });
});

test("a connection is closed after a 101", () => {
  const { wire, request, readAfter } = aConnection();
  wire.on("error", () => {});
  request();

  expect(readAfter(`${CONTINUE}HTTP/1.1 101 Switching Protocols\r\n`)).toBe("");
  expect(wire.errored).toEqual(new ProtocolSwitched());
});

// undici would assert that there is none. From a minified bundle, Node throws a SyntaxError instead of the assertion's
// error, because it parses the source for its message.
test.each(["000", "099"])("a connection is closed before the status code %s is read", (status) => {
  const sent = `HTTP/1.1 ${status} X\r\n\r\n`;
  for (let at = 1; at <= sent.length; at++) {
    const { wire, request, readAfter } = aConnection();
    wire.on("error", () => {});
    request();

    expect(readAfter(sent.slice(0, at)) + readAfter(sent.slice(at)), `divided at ${at}`).toBe("");
    expect(wire.errored, `divided at ${at}`).toEqual(new InvalidStatusCode());
  }
});
