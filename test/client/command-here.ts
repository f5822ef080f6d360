import { EventEmitter } from "node:events";
import { PassThrough, Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { run } from "../../client/command/run.ts";
import type { Terminal } from "../../client/terminal/terminal.ts";
import type { ProgramResult } from "../program.ts";

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
  const exited = Promise.withResolvers<number>();
  const exit = (code: number) => {
    signals.emit("exit");
    exited.resolve(code);
  };
  const stdin = typeof input === "string" ? Readable.from([Buffer.from(input)]) : input;
  const terminal = Object.assign(signals, { stdin, stdout, stderr, exit }) as unknown as Terminal;
  // Begins when its caller can read what it says.
  const running = Promise.resolve()
    .then(() => Promise.race([run(args, terminal), exited.promise]))
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
