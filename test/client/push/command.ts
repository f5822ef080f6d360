import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { buildCommand } from "../../../client/package.ts";

interface PushResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface PushProcess {
  readonly process: ChildProcess;
  readonly ended: Promise<PushResult>;
}

interface PushEnvironment {
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  readonly cwd?: string;
}

const folder = await mkdtemp(join(tmpdir(), "candidates-command-"));
await writeFile(join(folder, "package.json"), JSON.stringify({ type: "module" }));
await buildCommand(folder);

/** Starts `candidates push` as it is published. */
export function startPush(
  args: readonly string[],
  { env = {}, input = "", cwd }: PushEnvironment = {},
): PushProcess {
  const { CANDIDATES_URL: _url, CANDIDATES_API_KEY: _key, ...own } = process.env;
  const child = spawn(process.execPath, [join(folder, "dist/push.js"), "push", ...args], {
    env: { ...own, ...env },
    cwd,
  });
  child.stdin.end(input);
  const ended = Promise.all([once(child, "close"), text(child.stdout), text(child.stderr)]).then(
    ([[code], stdout, stderr]) => ({ code, stdout, stderr }),
  );
  return { process: child, ended };
}

export function runPush(args: readonly string[], environment?: PushEnvironment): Promise<PushResult> {
  return startPush(args, environment).ended;
}
