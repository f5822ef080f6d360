import { EventEmitter } from "node:events";
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { run } from "../../client/command/run.ts";
import { buildCommand } from "../../client/package.ts";
import type { Terminal } from "../../client/terminal/terminal.ts";
import { type Program, type ProgramEnvironment, type ProgramResult, startProgram } from "../program.ts";

const folder = await mkdtemp(join(tmpdir(), "candidates-command-"));
await writeFile(join(folder, "package.json"), JSON.stringify({ type: "module" }));
await buildCommand(folder);

/** Starts the command as it is published. */
export function startCommand(args: readonly string[], environment?: ProgramEnvironment): Program {
  return startProgram(process.execPath, [join(folder, "dist/candidates.js"), ...args], environment);
}

/** Starts `candidates push`. */
export function startPush(args: readonly string[], environment?: ProgramEnvironment): Program {
  return startCommand(["push", ...args], environment);
}

export function runPush(args: readonly string[], environment?: ProgramEnvironment): Promise<ProgramResult> {
  return startPush(args, environment).ended;
}

/** The command in the process of the test, which takes a twentieth of the time of a process of its own. */
export interface CommandHere {
  readonly stderr: Readable;
  readonly ended: Promise<ProgramResult>;
  /** As Ctrl-C does. */
  interrupt(): void;
}

/** Runs the command in this process. It reads this process's variables. */
export function commandHere(args: readonly string[], input: string | Readable = ""): CommandHere {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const signals = new EventEmitter();
  const stdin = typeof input === "string" ? Readable.from([Buffer.from(input)]) : input;
  const terminal = Object.assign(signals, { stdin, stdout, stderr }) as unknown as Terminal;
  // Begins when its caller can read what it says.
  const running = Promise.resolve()
    .then(() => run(args, terminal))
    .finally(() => {
      stdout.end();
      stderr.end();
    });
  const ended = Promise.all([running, text(stdout), text(stderr)]).then(([code, out, err]) => ({
    code,
    stdout: out,
    stderr: err,
  }));
  return { stderr, ended, interrupt: () => void signals.emit("SIGINT", "SIGINT") };
}
