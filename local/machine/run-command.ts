import { type ExecFileOptions, execFile } from "node:child_process";
import { promisify } from "node:util";

const MOST_OUTPUT_BYTES = 16 * 1024 * 1024;

/**
 * Runs a program to its end and returns its output. The program does not outlive this process.
 *
 * @throws Error with its `stderr` if it fails or cannot be run
 */
export async function runCommand(
  command: string,
  args: readonly string[],
  options: Pick<ExecFileOptions, "cwd" | "env"> = {},
): Promise<{ readonly stdout: string; readonly stderr: string }> {
  const running = promisify(execFile)(command, args, { ...options, maxBuffer: MOST_OUTPUT_BYTES });
  const end = () => running.child.kill();
  process.once("exit", end);
  try {
    return await running;
  } finally {
    process.off("exit", end);
  }
}
