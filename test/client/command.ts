import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { buildCommand } from "../../client/package.ts";

interface CommandResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface CommandProcess {
  readonly process: ChildProcess;
  readonly ended: Promise<CommandResult>;
}

interface CommandEnvironment {
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  readonly cwd?: string;
}

const folder = await mkdtemp(join(tmpdir(), "candidates-command-"));
await writeFile(join(folder, "package.json"), JSON.stringify({ type: "module" }));
await buildCommand(folder);

/** Starts the command as it is published. */
export function startCommand(
  args: readonly string[],
  { env = {}, input = "", cwd }: CommandEnvironment = {},
): CommandProcess {
  const { CANDIDATES_URL: _url, CANDIDATES_API_KEY: _key, ...own } = process.env;
  const child = spawn(process.execPath, [join(folder, "dist/candidates.js"), ...args], {
    env: { ...own, ...env },
    cwd,
  });
  child.stdin.end(input);
  const ended = Promise.all([once(child, "close"), text(child.stdout), text(child.stderr)]).then(
    ([[code], stdout, stderr]) => ({ code, stdout, stderr }),
  );
  return { process: child, ended };
}

/** Starts `candidates push`. */
export function startPush(args: readonly string[], environment?: CommandEnvironment): CommandProcess {
  return startCommand(["push", ...args], environment);
}

export function runPush(args: readonly string[], environment?: CommandEnvironment): Promise<CommandResult> {
  return startPush(args, environment).ended;
}
