import { createWriteStream } from "node:fs";
import { finished } from "node:stream/promises";

/** Lines, appended to one file in the order in which they come. */
interface Log {
  write(line: string): void;
  close(): Promise<void>;
}

/** The lines that functions write, each after its function's name. */
export interface FunctionLog {
  write(functionName: string, line: string): void;
  close(): Promise<void>;
}

export function openFunctionLog(
  file: string,
  onFault: (error: unknown) => void,
  onLog?: (functionName: string, line: string) => void,
): FunctionLog {
  const log = openLog(file, onFault);
  return {
    write(functionName, line) {
      log.write(`${functionName} ${line}`);
      onLog?.(functionName, line);
    },
    close: () => log.close(),
  };
}

/** When it cannot be written, `onFault` is told once and the lines from then on are lost. */
export function openLog(file: string, onFault: (error: unknown) => void): Log {
  const stream = createWriteStream(file, { flags: "a", mode: 0o600 });
  stream.once("error", onFault);
  return {
    write(line) {
      stream.write(`${line}\n`);
    },
    async close() {
      if (stream.errored) return;
      stream.end();
      await finished(stream);
    },
  };
}
