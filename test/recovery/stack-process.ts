import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";

export interface StackProcess {
  readonly baseUrl: string;
  readonly invokeUrl: string;
  readonly orgId: string;
  readonly apiKey: string;
  /** Ends the process without a chance to put anything in order. */
  kill(): Promise<void>;
  stop(): Promise<void>;
}

/** The local stack as `npm start` runs it: a process of its own, on a free port. */
export async function startStackProcess(dataDir: string): Promise<StackProcess> {
  const child = spawn(process.execPath, ["local/start.ts"], {
    env: { ...process.env, PORT: "0", LOCAL_DATA_DIR: dataDir },
    stdio: ["ignore", "pipe", "pipe"],
  });
  await ready(child);
  const credentials = JSON.parse(await readFile(join(dataDir, "credentials.json"), "utf8"));
  const [organisation] = credentials.organisations;
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    child.kill(signal);
    await exited;
  };
  return {
    baseUrl: credentials.baseUrl,
    invokeUrl: credentials.invokeUrl,
    ...organisation,
    kill: () => end("SIGKILL"),
    stop: () => end("SIGTERM"),
  };
}

async function ready(child: ChildProcess): Promise<void> {
  const said: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    if (stream) createInterface({ input: stream }).on("line", (line) => said.push(line));
  }
  await new Promise<void>((resolve, reject) => {
    child.once("exit", () => reject(new Error(`The local stack ended:\n${said.join("\n")}`)));
    if (child.stdout) {
      createInterface({ input: child.stdout }).on("line", (line) => {
        if (line.includes("Ready at")) resolve();
      });
    }
  });
}
