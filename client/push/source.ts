import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { CommandError, UsageError } from "./errors.ts";

/** A source of rows. */
export interface Source {
  /** The name shown to users. */
  readonly name: string;
  /** The size in bytes; undefined if unknown until the end. */
  readonly size: number | undefined;
  /** The number of bytes read so far. */
  readonly bytesRead: number;
  text(): AsyncGenerator<string>;
}

/** @throws UsageError if there is no such file */
export async function fileSource(file: string): Promise<Source> {
  const stats = await stat(file).catch((cause) => {
    throw new UsageError(`${file} cannot be read. Give a file, or - for standard input.`, { cause });
  });
  if (!stats.isFile()) throw new UsageError(`${file} is not a file.`);
  return textSource(file, stats.size, () => createReadStream(file));
}

export function standardInput(): Source {
  return textSource("standard input", undefined, () => process.stdin);
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
      // Fatal: otherwise a file in another encoding would be pushed with wrong characters. Skips a byte order mark.
      const decoder = new TextDecoder("utf-8", { fatal: true });
      const decode = (chunk?: Buffer) => {
        try {
          return decoder.decode(chunk, { stream: chunk !== undefined });
        } catch (cause) {
          throw new CommandError(`${name} is not UTF-8 from about byte ${bytesRead} on. Save it as UTF-8.`, {
            cause,
          });
        }
      };
      for await (const chunk of open()) {
        yield decode(chunk);
        bytesRead += chunk.length;
      }
      yield decode();
    },
  };
}

/** SHA-256 of a file's bytes, in hex. */
export async function fingerprintOf(file: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(file), hash);
  return hash.digest("hex");
}
