import { createInterface } from "node:readline";
import type { ReadStream, WriteStream } from "node:tty";
import { holdsData } from "../machine/data-directory.ts";

interface Terminal {
  readonly input: NodeJS.ReadableStream & Partial<Pick<ReadStream, "isTTY">>;
  readonly output: NodeJS.WritableStream & Partial<Pick<WriteStream, "isTTY">>;
}

/** Whether a reset may delete the data in a folder. Asks if there is data, and a terminal; otherwise it may. */
export async function mayReset(
  dataDir: string,
  { input, output }: Terminal = { input: process.stdin, output: process.stdout },
): Promise<boolean> {
  if (!(input.isTTY && output.isTTY && holdsData(dataDir))) return true;
  const reader = createInterface({ input, output });
  const { promise, resolve } = Promise.withResolvers<string>();
  reader.question(`Delete all candidates, webhook endpoints and keys in ${dataDir}? [y/N] `, resolve);
  // By Ctrl-C or Ctrl-D.
  reader.once("close", () => resolve(""));
  const answer = await promise;
  reader.close();
  return /^y(?:es)?$/i.test(answer.trim());
}
