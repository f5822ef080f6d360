import { join } from "node:path";
import { CommandError } from "../../local/machine/command-error.ts";
import { runCommand } from "../../local/machine/run-command.ts";
import { PROJECT } from "../../local/service/project.ts";

interface ScriptOptions {
  readonly env: NodeJS.ProcessEnv;
  /** What is told before the script's own words when it fails, as a sentence. */
  readonly problem: string;
}

/**
 * Runs one of the project's scripts to its end and gives what it printed.
 *
 * @throws CommandError when it fails, with what it said
 */
export async function runScript(path: string, args: readonly string[], options: ScriptOptions) {
  try {
    const { stdout } = await runCommand(process.execPath, [join(PROJECT, path), ...args], {
      env: options.env,
    });
    return stdout;
  } catch (error) {
    const said = error instanceof Error && "stderr" in error ? String(error.stderr).trim() : String(error);
    throw new CommandError(`${options.problem} It printed: ${said}`, { cause: error });
  }
}

/** Runs the platform team's command against the deployed development stack. */
export function runPlatform(args: readonly string[], env: NodeJS.ProcessEnv): Promise<string> {
  return runScript("platform/platform.ts", ["--environment", "development", ...args], {
    env,
    problem: `The platform command failed: ${args.slice(0, 2).join(" ")}.`,
  });
}
