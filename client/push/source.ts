import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { CommandError, UsageError } from "./errors.ts";

/** Where rows come from. */
export interface Source {
  /** What people call it. */
  readonly name: string;
  /** Its bytes in all; undefined where only its end tells. */
  readonly size: number | undefined;
  /** How many bytes have been read. */
  readonly bytesRead: number;
  text(): AsyncGenerator<string>;
}

/** @throws UsageError when there is no such file */
export async function fileSource(file: string): Promise<Source> {
  const stats = await stat(file).catch((cause) => {
    throw new UsageError(`${file} cannot be read: name a file, or - for standard input.`, { cause });
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
      // Fatal: a file in another encoding would be pushed with its letters lost. A byte order mark is dropped.
      const decoder = new TextDecoder("utf-8", { fatal: true });
      const decode = (chunk?: Buffer) => {
        try {
          return decoder.decode(chunk, { stream: chunk !== undefined });
        } catch (cause) {
          throw new CommandError(`${name} is not UTF-8 from about byte ${bytesRead} on: save it as UTF-8.`, {
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
