import { createHash } from "node:crypto";
import { constants, createReadStream, type Stats } from "node:fs";
import { access, stat } from "node:fs/promises";
import { onAbort } from "../src/on-abort.ts";
import { CommandError, UsageError } from "../terminal/errors.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { NotUtf8, Utf8Decoder } from "./utf8.ts";

/** The first bytes of a file in UTF-16 with a byte order mark. */
const UTF_16_MARKS = new Set([0xff, 0xfe]);
/** Without the mark, one of so many first bytes is 0, which is valid UTF-8 but in no file of candidates. */
const BEGINNING = 4;
/** The first bytes, in hex, of a workbook of Excel or LibreOffice (a ZIP archive), and of one of Excel before 2007. */
const WORKBOOKS = new Set(["504b0304", "d0cf11e0"]);
/** The first bytes, in hex, of a file that gzip has compressed (RFC 1952, section 2.3.1). */
const GZIP = "1f8b";

/** A source of rows. */
export interface Source {
  /** The name shown to users. */
  readonly name: string;
  /** The size in bytes; undefined if unknown until the end. */
  readonly size: number | undefined;
  /** The number of bytes read so far. */
  readonly bytesRead: number;
  /** The text from the beginning; a second time only of a file. */
  text(): AsyncGenerator<string>;
}

/** @throws UsageError if there is no such file, or the user may not read it */
export async function fileSource(file: string): Promise<Source> {
  const refuse = (cause: NodeJS.ErrnoException): never => {
    throw new UsageError(
      `${file} cannot be read (${cause.code}). Give a file that you may read, or - for standard input.`,
      { cause },
    );
  };
  const stats = await stat(file).catch(refuse);
  if (!stats.isFile()) {
    throw new UsageError(`${file} is not a file. Give a file, or - for standard input.`);
  }
  await access(file, constants.R_OK).catch(refuse);
  return textSource(file, stats.size, () => unchanged(file, stats));
}

/** @throws CommandError at the end if the file has changed meanwhile: rows may be missing */
async function* unchanged(file: string, before: Stats): AsyncGenerator<Buffer> {
  yield* createReadStream(file);
  const { mtimeMs, size, ino } = await stat(file);
  if (mtimeMs === before.mtimeMs && size === before.size && ino === before.ino) return;
  throw new CommandError(`${file} changed while it was read. Wait until it is complete.`);
}

/** @param stop aborted to end it: whoever writes it may be silent for long */
export function standardInput({ stdin }: Pick<Terminal, "stdin">, stop: AbortSignal): Source {
  return textSource("standard input", undefined, async function* () {
    const stopListening = onAbort(stop, () => stdin.destroy());
    try {
      yield* stdin;
    } finally {
      stopListening();
    }
  });
}

function textSource(name: string, size: number | undefined, open: () => AsyncIterable<Buffer>): Source {
  let bytesRead = 0;
  return {
    name,
    size,
    get bytesRead() {
      return bytesRead;
    },
    async *text() {
      const decoder = new Utf8Decoder();
      let beginning = Buffer.alloc(0);
      bytesRead = 0;
      try {
        for await (const chunk of open()) {
          beginning = Buffer.concat([beginning, chunk.subarray(0, BEGINNING - beginning.length)]);
          const inHex = beginning.toString("hex");
          if (inHex.startsWith(GZIP)) throw compressed(name);
          if (WORKBOOKS.has(inHex)) throw workbook(name);
          if (beginning.includes(0)) throw utf16(name);
          yield decoder.decode(chunk);
          bytesRead += chunk.length;
        }
        decoder.end();
      } catch (error) {
        if (error instanceof NotUtf8) throw notUtf8(name, error);
        throw isSystemError(error) ? unreadable(name, error) : error;
      }
    },
  };
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "syscall" in error;
}

function unreadable(name: string, cause: NodeJS.ErrnoException): CommandError {
  return new CommandError(
    `${name} cannot be read (${cause.code}). Check that it is still there and that you may read it.`,
    { cause },
  );
}

function notUtf8(name: string, cause: NotUtf8): CommandError {
  const { line, offset, byte } = cause;
  if (offset === 0 && UTF_16_MARKS.has(byte)) return utf16(name, cause);
  return new CommandError(
    `${name} is not UTF-8: line ${line}, byte offset ${offset} (0x${byte.toString(16).toUpperCase()}). Save it as UTF-8.`,
    { cause, correct: "file" },
  );
}

function utf16(name: string, cause?: NotUtf8): CommandError {
  return new CommandError(`${name} is not UTF-8: it looks like UTF-16. Save it as UTF-8.`, {
    cause,
    correct: "file",
  });
}

/** That a file is a workbook, by its name or its content. */
export function workbook(name: string): UsageError {
  return new UsageError(
    `${name} looks like a workbook, of Excel for example. Save the sheet with the candidates as CSV in UTF-8, and push that file.`,
  );
}

/** That a file is compressed, by its name or its content. */
export function compressed(name: string): UsageError {
  return new UsageError(`${name} is compressed. Decompress it, and push the file that was in it.`);
}

/**
 * SHA-256 of a source's text, in hex.
 *
 * @throws CommandError if it is not UTF-8
 */
export async function fingerprintOf(source: Source): Promise<string> {
  const hash = createHash("sha256");
  for await (const text of source.text()) hash.update(text);
  return hash.digest("hex");
}
