import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { BODY_BYTES as LARGEST_ACCEPTED } from "#contract/errors";
import { assertMediaType, readJsonBody } from "#runtime/request-body";
import { aProxyEvent } from "../builders/proxy-event.ts";

const BODY_BYTES = 4 * 1024 * 1024;

/** The body as API Gateway hands it over where its media type is a binary one. */
function readBytes(body: string | Uint8Array, headers: Record<string, string> = {}): unknown {
  const base64 = Buffer.from(body).toString("base64");
  const event = { ...aProxyEvent({ headers }), body: base64, isBase64Encoded: true };
  assertMediaType(event);
  return readJsonBody(event);
}

const code = (error: string) => expect.objectContaining({ code: error });
const named = (...bytes: number[]) =>
  Buffer.concat([Buffer.from('{"name":"'), Buffer.from(bytes), Buffer.from('"}')]);

describe("the bytes of a body", () => {
  test.each([
    ["two bytes", [0xc3, 0xa9], "\u00e9"],
    ["a byte order mark within", [0xef, 0xbb, 0xbf], "\uFEFF"],
    ["a replacement character that was sent", [0xef, 0xbf, 0xbd], "\uFFFD"],
    ["the last code point", [0xf4, 0x8f, 0xbf, 0xbf], "\u{10FFFF}"],
  ])("are kept if they are UTF-8: %s", (_what, bytes, name) => {
    expect(readBytes(named(...bytes))).toEqual({ name });
  });

  test.each([
    ["Latin-1", [0x4a, 0x6f, 0x73, 0xe9]],
    ["a lone continuation byte", [0x80]],
    ["a sequence that is cut short", [0xe2, 0x82]],
    ["a surrogate", [0xed, 0xa0, 0x80]],
    ["a pair of surrogates (CESU-8)", [0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80]],
    ["an overlong slash", [0xc0, 0xaf]],
    ["an overlong null", [0xc0, 0x80]],
    ["a code point beyond the last", [0xf4, 0x90, 0x80, 0x80]],
    ["0xFF", [0xff]],
  ])("are refused if they are not UTF-8, and never replaced: %s", (_what, bytes) => {
    expect(() => readBytes(named(...bytes))).toThrow(
      expect.objectContaining({ code: "invalid_request", message: "body: JSON in UTF-8 is expected" }),
    );
  });

  test("may begin with one byte order mark", () => {
    expect(readBytes("\uFEFF{}")).toEqual({});
    expect(() => readBytes("\uFEFF\uFEFF{}")).toThrow(code("invalid_request"));
  });

  test("are refused in UTF-16, even with a byte order mark", () => {
    expect(() => readBytes(Buffer.from("\uFEFF{}", "utf16le"))).toThrow(code("invalid_request"));
  });

  test("are limited to 4 MiB before they are parsed", () => {
    const body = (bytes: number) => Buffer.concat([Buffer.from("{}"), Buffer.alloc(bytes - 2, " ")]);

    expect(readBytes(body(BODY_BYTES))).toEqual({});
    expect(() => readBytes(body(BODY_BYTES + 1))).toThrow(code("payload_too_large"));
  });
});

test("the largest body fits into a call of Lambda in base64, with the headers twice", () => {
  const mostOfCall = 6 * 1024 * 1024;
  const others = 100_000;

  expect(
    Math.ceil(LARGEST_ACCEPTED / 3) * 4 + others,
    "AWS Lambda takes 6 MB per call: a larger BODY_BYTES (lib/contract/errors.ts) would be a 413 of API Gateway",
  ).toBeLessThan(mostOfCall);
});

describe("a body that a gateway passes as text", () => {
  const readText = (body: string) => readJsonBody({ ...aProxyEvent({}), body, isBase64Encoded: false });

  test("is parsed", () => {
    expect(readText('\uFEFF{"name":"Jos\u00e9"}')).toEqual({ name: "Jos\u00e9" });
  });

  test.each(["\uFFFD", "\ud800"])("is refused if a byte may have been replaced: %j", (character) => {
    expect(() => readText(`{"name":"Jos${character}"}`)).toThrow(code("invalid_request"));
  });

  test("may contain an escaped U+FFFD", () => {
    expect(readText('{"name":"\\ufffd"}')).toEqual({ name: "\uFFFD" });
  });
});

describe("the headers of a request with a body", () => {
  test.each([
    "application/json",
    "Application/JSON",
    "application/json;",
    "application/json; charset=utf-8",
    "application/json;charset=UTF-8",
    'application/json; charset="utf-8"',
    'application/json; CHARSET="UTF-8"',
    "application/json; charset=utf8",
    'application/json ; profile="x"',
    'application/json; profile="charset=iso-8859-1"',
    "application/json; Charset = utf-8; charset=UTF-8",
  ])("may declare %s", (type) => {
    expect(readBytes("{}", { "content-TYPE": type })).toEqual({});
  });

  test.each([
    "application/json; charset=iso-8859-1",
    "application/json; charset=latin1",
    "application/json; charset=utf-16",
    "application/json; charset = latin1",
    "application/json; charset=utf-8; charset=latin1",
    "application/json; charset=utf-80",
    "application/json; charset=us-ascii",
    "application/json; profile=x; charset=windows-1252",
    'application/json; charset=""',
    "application/json; charset='utf-8'",
    "application/json, application/json",
    "application/jsonp",
    "text/json",
    "json",
    "",
  ])("may not declare %s", (type) => {
    expect(() => readBytes("{}", { "Content-Type": type })).toThrow(
      expect.objectContaining({
        code: "unsupported_media_type",
        message:
          "The body is not declared as JSON in UTF-8. Send Content-Type: application/json and no Content-Encoding.",
      }),
    );
  });

  test.each(["gzip", "br", "identity", "GZIP, identity"])(
    "may not declare Content-Encoding: %s",
    (encoding) => {
      const headers = { "content-encoding": encoding };

      expect(() => readBytes(gzipSync("{}"), headers)).toThrow(code("unsupported_media_type"));
      // API Gateway decompresses gzip and hands the header on.
      expect(() => readBytes("{}", headers)).toThrow(code("unsupported_media_type"));
    },
  );

  test("are ignored without a body", () => {
    const headers = { "Content-Type": "text/plain", "Content-Encoding": "gzip" };

    expect(() => readBytes("", headers)).toThrow(code("invalid_request"));
  });
});
