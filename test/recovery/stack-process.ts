import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { synthesise } from "../../local/synthesis.ts";

const STACK_NAME = "CandidateService-development";

export interface StackProcess {
  readonly baseUrl: string;
  readonly orgId: string;
  readonly apiKey: string;
  /** Ends the process without a chance to put anything in order. */
  kill(): Promise<void>;
  stop(): Promise<void>;
}

/** Synthesises once what several starts run. */
export async function synthesiseOnce(folder: string): Promise<string> {
  const directory = join(folder, "assembly");
  await synthesise(directory, STACK_NAME);
  return directory;
}

/** The local stack as a process of its own. */
export async function startStackProcess(dataDir: string, assembly: string): Promise<StackProcess> {
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, "run-stack.ts"), dataDir, assembly, STACK_NAME],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  const exited = once(child, "exit");
  const started = once(createInterface({ input: child.stdout }), "line");
  const first = await Promise.race([started, exited.then(() => undefined)]);
  if (!first) throw new Error("The local stack ended before it was ready.");
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    await exited;
  };
  return { ...JSON.parse(String(first[0])), kill: () => end("SIGKILL"), stop: () => end("SIGTERM") };
}
