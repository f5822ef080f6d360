import { createReadStream } from "node:fs";
import { BODY_BYTES } from "../../lib/contract/errors.ts";
import { CommandError } from "../terminal/errors.ts";

/**
 * The longest line that is read, in characters: the largest body, with every character escaped as `\uXXXX`. The limit
 * prevents a file of another format from being read into memory as one line.
 */
export const LONGEST_LINE = 6 * BODY_BYTES;

/** The lines of a text. Only `\n` ends a line: Unicode's other line ends may occur inside a JSON string. */
export async function* linesOf(text: AsyncIterable<string>, longest = LONGEST_LINE): AsyncGenerator<string> {
  let begun: string[] = [];
  let length = 0;
  let number = 1;
  for await (const chunk of text) {
    const [end = "", ...lines] = chunk.split("\n");
    begun.push(end);
    length += end.length;
    if (length > longest) {
      throw new CommandError(`Line ${number} is too long for a candidate. Check that the file is NDJSON.`, {
        correct: "file",
      });
    }
    const rest = lines.pop();
    if (rest === undefined) continue;
    yield begun.join("");
    yield* lines;
    number += lines.length + 1;
    begun = [rest];
    length = rest.length;
  }
  yield begun.join("");
}

/**
 * The lines of a file that the command wrote; none if the file does not exist. A line that contains a refused row is
 * longer than the row, which is escaped.
 */
export async function* storedLines(path: string): AsyncGenerator<string> {
  try {
    yield* linesOf(createReadStream(path, "utf8"), Infinity);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}
