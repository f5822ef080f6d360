import { type Duplex, pipeline, Readable } from "node:stream";

/**
 * What a parser reads from a text. Not with `compose`, which passes on no objects in the first releases of Node.js 20.
 */
export function parseText(text: AsyncIterable<string>, parser: Duplex): Duplex {
  // The parser's reader gets the error.
  return pipeline(Readable.from(text), parser, () => {});
}
