import { appendFile } from "node:fs/promises";
import { join } from "node:path";

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
 * When the file can no longer be written, `onFault` is called, and lines are lost until it can be written again.
 *
 * @internal Exported for tests.
 */
export function openLog(file: string, onFault: (error: unknown) => void): Log {
  let lines = "";
  let written = Promise.resolve();
  let failed = false;
  const flush = async () => {
    if (lines === "") return;
    // The line that failed may have no end.
    const text = failed ? `\n${lines}` : lines;
    lines = "";
    try {
      await appendFile(file, text, { mode: 0o600 });
      failed = false;
    } catch (error) {
      if (!failed) onFault(error);
      failed = true;
    }
  };
  const flushInOrder = () => {
    written = written.then(flush);
    return written;
  };
  return {
    write(line) {
      if (lines === "") setTimeout(flushInOrder, GATHER_MS);
      lines += `${line}\n`;
    },
    close: flushInOrder,
  };
}
