import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { finished } from "node:stream/promises";

/** How long lines are collected before they are written, in ms: a write for each line takes longer than its line. */
const GATHER_MS = 50;

/** Appends lines to one file, in order. */
interface Log {
  write(line: string): void;
  close(): Promise<void>;
}

/** The log files of the stack. */
export interface StackLogs {
  /** The file with the lines of all functions. */
  readonly functionsFile: string;
  /** Writes a line of a function, prefixed with the function's name. */
  functionLine(functionName: string, line: string): void;
  /** Writes a line of the stage's access log. */
  accessLine(line: string): void;
  close(): Promise<void>;
}

export function openLogs(
  folder: string,
  onFault: (error: unknown) => void,
  onLog?: (functionName: string, line: string) => void,
): StackLogs {
  const functionsFile = join(folder, "functions.log");
  const functions = openLog(functionsFile, onFault);
  const access = openLog(join(folder, "access.log"), onFault);
  return {
    functionsFile,
    functionLine(functionName, line) {
      functions.write(`${functionName} ${line}`);
      onLog?.(functionName, line);
    },
    accessLine: (line) => access.write(line),
    async close() {
      await functions.close();
      await access.close();
    },
  };
}

/**
 * If the file cannot be written, `onFault` is called once and later lines are lost.
 *
 * @internal Exported for tests.
 */
export function openLog(file: string, onFault: (error: unknown) => void): Log {
  const stream = createWriteStream(file, { flags: "a", mode: 0o600 });
  stream.once("error", onFault);
  return {
    write(line) {
      if (stream.writableCorked === 0) {
        stream.cork();
        setTimeout(() => stream.uncork(), GATHER_MS);
      }
      stream.write(`${line}\n`);
    },
    async close() {
      if (stream.errored) return;
      stream.end();
      await finished(stream);
    },
  };
}
