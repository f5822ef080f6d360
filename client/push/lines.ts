import { createReadStream } from "node:fs";
import { CommandError } from "./errors.ts";

/**
 * The longest line that is read, in characters: a body of 4 MiB written with escapes throughout. It keeps a
 * file of another kind from being read into memory as one line.
 */
export const LONGEST_LINE = 24 * 1024 * 1024;

/** The lines of a text. Only `\n` ends one: Unicode's other line ends may stand inside a JSON string. */
export async function* linesOf(text: AsyncIterable<string>): AsyncGenerator<string> {
  let begun: string[] = [];
  let length = 0;
  for await (const chunk of text) {
    const [end = "", ...lines] = chunk.split("\n");
    begun.push(end);
    length += end.length;
    if (length > LONGEST_LINE) {
      throw new CommandError("A line is too long to be a candidate's: is this NDJSON?");
    }
    const rest = lines.pop();
    if (rest === undefined) continue;
    yield begun.join("");
    yield* lines;
    begun = [rest];
    length = rest.length;
  }
  yield begun.join("");
}

/** The lines of a file of our own; none when there is no such file. */
export async function* storedLines(path: string): AsyncGenerator<string> {
  try {
    yield* linesOf(createReadStream(path, "utf8"));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}
