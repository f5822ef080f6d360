import { streamArray } from "stream-json/streamers/stream-array.js";
import { DEEPEST, isShallow } from "../src/shallow.ts";
import { CommandError, UsageError } from "../terminal/errors.ts";
import { JsonPlace, jsonProblemOf } from "./json-problem.ts";
import { LONGEST_LINE } from "./lines.ts";
import { parseText } from "./parse-text.ts";
import { type Row, TOO_DEEP } from "./row.ts";
import type { Source } from "./source.ts";

/** The bounds of an item: characters; and names, values and brackets, of which a valid candidate has under a tenth. */
const LARGEST_ITEM = { characters: LONGEST_LINE, parts: 1_000_000 };

/** The rows of a source that is a JSON array, one for each item. */
export async function* jsonRows(source: Source, largest = LARGEST_ITEM): AsyncGenerator<Row> {
  let beginning = "";
  // It takes as long as the parser does. A file is read again for it instead, once the parser has failed.
  const place = source.size === undefined ? new JsonPlace() : undefined;
  // The parser keeps an item until it ends: how many have, and the text and the parts since then.
  let [ended, length, parts] = [0, 0, 0];
  const text = async function* () {
    for await (const chunk of source.text()) {
      beginning ||= chunk.trimStart().charAt(0);
      place?.note(chunk);
      length += chunk.length;
      if (length > largest.characters && beginning === "[") throw tooLong(ended + 1);
      yield chunk;
    }
  };
  const parser = streamArray.withParserAsStream({
    // Called with each part of an item. It decides nothing, so that every item is passed on.
    objectFilter: ({ depth, current }) => {
      parts += 1;
      if (parts > largest.parts) throw tooLong(ended + 1);
      if (depth > 1) return undefined;
      if (Array.isArray(current) && current.length > 0) ended += 1;
      [length, parts] = [0, 0];
      return undefined;
    },
    includeUndecided: true,
  });
  const items = parseText(text(), parser);
  let position = 0;
  try {
    for await (const { key, value } of items as AsyncIterable<{ key: number; value: unknown }>) {
      const row = isShallow(value) ? { value } : { value: shallowPartOf(value), problem: TOO_DEEP };
      yield { number: key + 1, bytes: source.bytesRead - position, ...row };
      position = source.bytesRead;
    }
  } catch (cause) {
    if (cause instanceof CommandError || cause instanceof UsageError) throw cause;
    if (beginning === "") return;
    if (beginning !== "[") throw notJson(source.name, beginning);
    const problem = await jsonProblemOf(cause as Error, source, place);
    throw new CommandError(`${source.name} is not a valid JSON array: ${problem}`, {
      cause,
      correct: "file",
    });
  }
}

function tooLong(item: number): CommandError {
  return new CommandError(`Item ${item} is too long for a candidate. Check its quotes and brackets.`, {
    correct: "file",
  });
}

/** An item without the members that are nested too deeply. */
function shallowPartOf(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  return Object.fromEntries(Object.entries(value).filter(([, member]) => isShallow(member, DEEPEST - 1)));
}

function notJson(name: string, beginning: string): UsageError {
  return new UsageError(
    beginning === "{"
      ? `${name} is not a valid JSON array: it begins with an object. Put the candidates between [ and ], separated by commas. If each line contains an object, add --format ndjson.`
      : `${name} is not a valid JSON array: it does not begin with [. If it has another format, add --format ndjson or csv.`,
  );
}
