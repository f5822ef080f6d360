import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";

/** How a program ended, and what it printed. */
export interface ProgramResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Program {
  readonly process: ChildProcess;
  readonly ended: Promise<ProgramResult>;
}

export interface ProgramEnvironment {
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  readonly cwd?: string;
}

/** Starts a program with the variables of this process and others, without those of the client's command. */
export function startProgram(
  program: string,
  args: readonly string[],
  { env = {}, input = "", cwd }: ProgramEnvironment = {},
): Program {
  const { CANDIDATES_URL: _url, CANDIDATES_API_KEY: _key, ...own } = process.env;
  const child = spawn(program, args, { env: { ...own, ...env }, cwd });
  // A program may end without reading its input.
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  const ended = Promise.all([once(child, "close"), text(child.stdout), text(child.stderr)]).then(
    ([[code], stdout, stderr]) => ({ code, stdout, stderr }),
  );
  return { process: child, ended };
}
