import { existsSync, readFileSync } from "node:fs";
import { SourceMap, type SourceMapPayload } from "node:module";

/**
 * In a frame of a stack trace. A path may contain spaces and parentheses; it has a bound, because the text of a long
 * message could otherwise begin thousands of paths that never end.
 */
const POSITION = /(?<=[( ])(\/.{1,500}?\.js):(\d+):(\d+)/g;
const maps = new Map<string, SourceMap | undefined>();

/**
 * A stack with positions in the sources instead of the bundle. The bundle's source map is read on the first use;
 * Node's own `--enable-source-maps` reads it at every cold start.
 */
export function withSourcePositions(stack: string): string {
  return stack.replace(POSITION, (position: string, file: string, line: string, column: string) => {
    const origin = mapOf(file)?.findOrigin(Number(line), Number(column));
    return origin && "fileName" in origin
      ? `${origin.fileName}:${origin.lineNumber}:${origin.columnNumber}`
      : position;
  });
}

function mapOf(file: string): SourceMap | undefined {
  if (!maps.has(file)) {
    const path = `${file}.map`;
    maps.set(
      file,
      existsSync(path)
        ? new SourceMap(JSON.parse(readFileSync(path, "utf8")) as SourceMapPayload)
        : undefined,
    );
  }
  return maps.get(file);
}
