import { createWriteStream } from "node:fs";
import { finished } from "node:stream/promises";

/** The lines that functions write, appended to one file in the order in which they come. */
export interface FunctionLog {
  write(functionName: string, line: string): void;
  close(): Promise<void>;
}

export function openFunctionLog(
  file: string,
  onLog?: (functionName: string, line: string) => void,
): FunctionLog {
  const stream = createWriteStream(file, { flags: "a", mode: 0o600 });
  return {
    write(functionName, line) {
      stream.write(`${functionName} ${line}\n`);
      onLog?.(functionName, line);
    },
    async close() {
      stream.end();
      await finished(stream);
    },
  };
}
