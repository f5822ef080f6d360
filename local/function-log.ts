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
  onLog?: (functionName: string, line: string) => void,
): FunctionLog {
  const log = openLog(file);
  return {
    write(functionName, line) {
      log.write(`${functionName} ${line}`);
      onLog?.(functionName, line);
    },
    close: () => log.close(),
  };
}

export function openLog(file: string): Log {
  const stream = createWriteStream(file, { flags: "a", mode: 0o600 });
  return {
    write(line) {
      stream.write(`${line}\n`);
    },
    async close() {
      stream.end();
      await finished(stream);
    },
  };
}
