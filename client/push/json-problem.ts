import { jsonParser } from "stream-json/parser.js";
import type { Source } from "./source.ts";

/** The most characters that the parser may need to see before it refuses the first of them, such as `tru`. */
const LOOKAHEAD = 16;

/** What is wrong with a file that begins like a JSON array, and what to do, in a sentence. */
export async function jsonProblemOf({ message }: Error, source: Source): Promise<string> {
  // Standard input cannot be read again.
  const place = source.size === undefined ? `byte ${source.bytesRead}` : await placeIn(source.text());
  if (place === undefined) return "it ends before the array is closed. Check that the file is complete.";
  // The parser's words for a bracket where a value or a name is expected.
  if (/unexpected token '[\]}]'/.test(message)) {
    return `a comma before ] or } is one too many, near ${place}. Remove it.`;
  }
  return `the error is near ${place}.`;
}

/** Where a text is no longer JSON, which the parser does not report; undefined if only its end is missing. */
async function placeIn(text: AsyncIterable<string>): Promise<string | undefined> {
  // A parser that has failed cannot be used again: one reads ahead, the other reads what the first accepts.
  const [ahead, behind] = [jsonParser(), jsonParser()];
  let isNear = false;
  let line = 1;
  let column = 1;
  for await (const chunk of text) {
    isNear ||= !accepts(ahead, chunk);
    // One by one is much slower.
    for (const piece of isNear ? chunk : [chunk]) {
      if (!accepts(behind, piece)) return `line ${line}, column ${column}`;
      const [end = "", ...lines] = piece.split("\n");
      line += lines.length;
      column = lines.length > 0 ? [...(lines.at(-1) ?? "")].length + 1 : column + [...end].length;
    }
  }
  return accepts(behind, " ".repeat(LOOKAHEAD)) ? undefined : `line ${line}, column ${column}`;
}

function accepts(parser: ReturnType<typeof jsonParser>, text: string): boolean {
  try {
    parser(text);
    return true;
  } catch {
    return false;
  }
}
