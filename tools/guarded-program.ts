import { spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { finished } from "node:stream/promises";
import { guarded } from "../local/machine/process-guard.ts";

interface GuardedProgramOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  /** Where everything that it prints is kept. */
  readonly logFile: string;
  readonly onOutput?: (text: string) => void;
}

export interface GuardedProgram {
  /** Settles with its exit code when it has ended. */
  readonly ended: Promise<number>;
  /** Asks it to end, and waits until it has. */
  stop(): Promise<void>;
}

const running = new Set<GuardedProgram>();

/** Ends every program that is running. */
export async function stopPrograms(): Promise<void> {
  await Promise.all([...running].map((program) => program.stop()));
}

/** Starts a program that does not outlive this process, however this process dies. */
export function startGuarded(
  command: string,
  args: readonly string[],
  options: GuardedProgramOptions,
): GuardedProgram {
  const guard = spawn(...guarded(command, args), {
    cwd: options.cwd,
    env: options.env,
    stdio: ["pipe", "pipe", "pipe"],
    // Ctrl-C in the terminal must reach us alone, so that what was begun can be ended in order.
    detached: true,
  });
  const log = createWriteStream(options.logFile, { flags: "a", mode: 0o600 });
  for (const stream of [guard.stdout, guard.stderr]) {
    stream.pipe(log, { end: false });
    stream.setEncoding("utf8").on("data", (text: string) => options.onOutput?.(text));
  }
  const ended = once(guard, "close").then(async ([code]: unknown[]) => {
    log.end();
    await finished(log);
    return typeof code === "number" ? code : 1;
  });
  const program: GuardedProgram = {
    ended,
    async stop() {
      guard.stdin.end();
      await ended;
    },
  };
  running.add(program);
  void ended.finally(() => running.delete(program));
  return program;
}
