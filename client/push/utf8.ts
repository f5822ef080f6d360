/** The longest beginning of a UTF-8 character that lacks its end, in bytes. */
const LONGEST_CUT = 3;
const LINE_END = 0x0a;

/** Where bytes are not UTF-8. */
export class NotUtf8 extends Error {
  /** From 1. */
  readonly line: number;
  /** The number of bytes before the first one that is not UTF-8. */
  readonly offset: number;
  readonly byte: number;

  constructor(line: number, offset: number, byte: number) {
    super(`not UTF-8 at line ${line}, byte offset ${offset}`);
    this.line = line;
    this.offset = offset;
    this.byte = byte;
  }
}

/** Decodes UTF-8 chunk by chunk. Skips a byte order mark. */
export class Utf8Decoder {
  // Fatal: otherwise a file in another encoding would be pushed with wrong characters.
  readonly #decoder = new TextDecoder("utf-8", { fatal: true });
  /** The bytes decoded so far, and the line ends among them. */
  #bytes = 0;
  #lineEnds = 0;
  /** The last of these bytes, among them a character that is cut off. */
  #tail = Buffer.alloc(0);

  /** @throws NotUtf8 */
  decode(chunk: Buffer): string {
    try {
      const text = this.#decoder.decode(chunk, { stream: true });
      this.#bytes += chunk.length;
      this.#lineEnds += lineEndsIn(chunk);
      this.#tail = Buffer.concat([this.#tail, chunk.subarray(-LONGEST_CUT)]).subarray(-LONGEST_CUT);
      return text;
    } catch {
      throw this.#invalidByteIn(chunk);
    }
  }

  /** @throws NotUtf8 if the text ends inside a character */
  end(): void {
    try {
      this.#decoder.decode();
    } catch {
      throw this.#invalidByteIn(Buffer.alloc(0));
    }
  }

  #invalidByteIn(chunk: Buffer): NotUtf8 {
    const bytes = Buffer.concat([this.#tail, chunk]);
    // The tail may begin inside a character, whose other bytes are before it.
    const begins = this.#tail.findIndex((byte) => byte >> 6 !== 0b10);
    const whole = begins < 0 ? this.#tail.length : begins;
    const at = whole + startOfInvalid(bytes.subarray(whole));
    const lineEnds = this.#lineEnds + lineEndsIn(bytes.subarray(this.#tail.length, at));
    return new NotUtf8(lineEnds + 1, this.#bytes - this.#tail.length + at, bytes[at] ?? 0);
  }
}

function lineEndsIn(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(LINE_END); at >= 0; at = bytes.indexOf(LINE_END, at + 1)) count += 1;
  return count;
}

/** Where the first character that is not valid begins. */
function startOfInvalid(bytes: Buffer): number {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let start = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    try {
      if (decoder.decode(bytes.subarray(at, at + 1), { stream: true }) !== "") start = at + 1;
    } catch {
      break;
    }
  }
  return start;
}
