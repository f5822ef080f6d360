import fc from "fast-check";
import { expect, test } from "vitest";
import { NotUtf8, Utf8Decoder } from "../../../client/push/utf8.ts";

/** The text of bytes that arrive in chunks of a size, or where they are not UTF-8. */
function decoded(bytes: Buffer, size: number): string | { line: number; offset: number; byte: number } {
  const decoder = new Utf8Decoder();
  let text = "";
  try {
    for (let at = 0; at < bytes.length; at += size) text += decoder.decode(bytes.subarray(at, at + size));
    decoder.end();
    return text;
  } catch (error) {
    if (!(error instanceof NotUtf8)) throw error;
    return { line: error.line, offset: error.offset, byte: error.byte };
  }
}

const texts = fc.string({ unit: fc.constantFrom("a", "\n", "é", "€", "😀") });
const sizes = fc.integer({ min: 1, max: 9 });

test("text is decoded from chunks of any size", () => {
  fc.assert(
    fc.property(texts, sizes, (text, size) => {
      expect(decoded(Buffer.from(text), size)).toBe(text);
    }),
  );
});

test("the first byte that is not UTF-8 is found with its line, whatever the chunks", () => {
  const wrong = fc.constantFrom([0xff], [0x80], [0xc0, 0x80], [0xe9, 0x20], [0xf0, 0x9f, 0x98, 0x0a], [0xe2]);
  fc.assert(
    fc.property(texts, wrong, fc.constantFrom("", "a", "\n😀"), sizes, (before, bytes, after, size) => {
      const beginning = Buffer.from(before);

      expect(decoded(Buffer.concat([beginning, Buffer.from(bytes), Buffer.from(after)]), size)).toEqual({
        line: before.split("\n").length,
        offset: beginning.length,
        byte: bytes[0],
      });
    }),
    { numRuns: 2000 },
  );
});

test("a byte order mark is no part of the text, and counts for the offset", () => {
  expect(decoded(Buffer.from("\uFEFFa"), 2)).toBe("a");
  expect(decoded(Buffer.concat([Buffer.from("\uFEFFa"), Buffer.of(0xff)]), 2)).toMatchObject({ offset: 4 });
});
