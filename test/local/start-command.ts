import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { onTestFinished } from "vitest";

const START = join(import.meta.dirname, "..", "..", "local", "service", "start.ts");

export interface StartCommand {
  readonly child: ChildProcess;
  /** The exit code and the signal, once it has ended. */
  readonly ended: Promise<unknown>;
  /** Everything printed until a text shows, or until the end. */
  until(text: string): Promise<string>;
}

/** What `npm start -- <flags>` runs, by default on a free port; killed when the test is over. */
export function startCommand(
  environment: Record<string, string>,
  flags: readonly string[] = [],
): StartCommand {
  const child = spawn(process.execPath, [START, ...flags], {
    env: { ...process.env, PORT: "0", ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const ended = once(child, "close");
  const changed = new Set<() => void>();
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      printed += String(chunk);
      for (const look of changed) look();
    });
  }
  return {
    child,
    ended,
    async until(text) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const look = () => {
        if (printed.includes(text)) resolve();
      };
      changed.add(look);
      look();
      await Promise.race([promise, ended]);
      changed.delete(look);
      return printed;
    },
  };
}

/** The processes whose command line names a folder. */
export async function processesOf(folder: string): Promise<string[]> {
  const { stdout } = await promisify(execFile)("ps", ["-A", "-ww", "-o", "args="]);
  return stdout.split("\n").filter((line) => line.includes(folder));
}

/** Kills what names a folder on its command line, or of that only one program, and waits until it is all gone. */
export async function kill(folder: string, program = ""): Promise<void> {
  const { stdout } = await promisify(execFile)("ps", ["-A", "-ww", "-o", "pid=,args="]);
  const command = new RegExp(`^\\s*\\d+ ${program}.*${folder}`);
  for (const line of stdout.split("\n").filter((each) => command.test(each))) {
    try {
      process.kill(Number.parseInt(line, 10), "SIGKILL");
    } catch (error) {
      // It has ended meanwhile.
      if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
    }
  }
  await gone(folder);
}

/** Waits until no process names a folder. */
export async function gone(folder: string): Promise<void> {
  while ((await processesOf(folder)).length > 0) await delay(50);
}
