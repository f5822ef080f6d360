import { readFileSync, writeFileSync } from "node:fs";
import { decode, encode, type SourceMapSegment } from "@jridgewell/sourcemap-codec";

/**
 * Reduces a source map to what a stack trace needs: for each line of a source, where its code begins. A map of every
 * token takes three times as long to read, at the first error that an execution environment logs.
 */
export function keepLinesOf(path: string): void {
  const map: { readonly mappings: string } = JSON.parse(readFileSync(path, "utf8"));
  const mappings = encode(decode(map.mappings).map(lineStarts));
  writeFileSync(path, JSON.stringify({ ...map, mappings, names: [] }));
}

/** The segments at which another line of a source begins, or code that has none. */
function lineStarts(segments: readonly SourceMapSegment[]): SourceMapSegment[] {
  return segments
    .filter((segment, at) => {
      const before = segments[at - 1];
      return before?.[1] !== segment[1] || before?.[2] !== segment[2];
    })
    .map(([column, source, line, sourceColumn]) =>
      source === undefined || line === undefined || sourceColumn === undefined
        ? [column]
        : [column, source, line, sourceColumn],
    );
}
