import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CommandError } from "../local/machine/command-error.ts";
import { runCommand } from "../local/machine/run-command.ts";
import { cacheDirectory } from "../local/service/project.ts";

/** The oldest Python that pinned requirements are for. */
const OLDEST_PYTHON = [3, 11] as const;

interface PythonEnvironmentOptions {
  /** Names the folder in the user's cache, and the program in messages. */
  readonly name: string;
  /** A file of pip that pins every package with its hashes. */
  readonly requirements: string;
  readonly onProgress: (message: string) => void;
}

/**
 * The folder of the programs of a virtual environment: from the user's cache folder, or installed there by pip and
 * held to the hashes of its requirements.
 *
 * @throws CommandError when there is no Python that can, or pip cannot fetch them
 */
export async function pythonEnvironment(options: PythonEnvironmentOptions): Promise<string> {
  const { name, requirements, onProgress } = options;
  const python = await pythonVersion();
  const fingerprint = createHash("sha256")
    .update(readFileSync(requirements))
    .update(python)
    .digest("hex")
    .slice(0, 12);
  const environment = join(cacheDirectory(), `${name}-${fingerprint}`);
  const programs = join(environment, "bin");
  const complete = join(environment, "complete");
  if (existsSync(complete)) return programs;

  onProgress(`Installing ${name} (once) into ${environment}`);
  rmSync(environment, { recursive: true, force: true });
  mkdirSync(environment, { recursive: true });
  await attempt(
    ["python3", "-m", "venv", environment],
    "Python cannot create a virtual environment: install its venv module (python3-venv on Debian and Ubuntu).",
  );
  await attempt(
    [
      join(programs, "python"),
      "-m",
      "pip",
      "install",
      "--quiet",
      "--disable-pip-version-check",
      "--require-hashes",
      "--only-binary=:all:",
      "--requirement",
      requirements,
    ],
    `pip could not install ${name}: check that it reaches its package index, and that ${requirements} lists a build for this platform.`,
  );
  writeFileSync(complete, "");
  return programs;
}

/** @throws CommandError when there is none, or none that is new enough */
export async function pythonVersion(): Promise<string> {
  const wanted = OLDEST_PYTHON.join(".");
  let version: string;
  try {
    const { stdout } = await runCommand("python3", [
      "-c",
      "import platform; print(platform.python_version())",
    ]);
    version = stdout.trim();
  } catch (error) {
    throw new CommandError(`python3 was not found, or does not run: install Python ${wanted} or newer.`, {
      cause: error,
    });
  }
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major < OLDEST_PYTHON[0] || (major === OLDEST_PYTHON[0] && minor < OLDEST_PYTHON[1])) {
    throw new CommandError(
      `Python ${wanted} or newer is needed, and python3 on the PATH is ${version}: install a newer one.`,
    );
  }
  return version;
}

async function attempt([command, ...args]: readonly [string, ...string[]], advice: string): Promise<void> {
  try {
    await runCommand(command, args);
  } catch (error) {
    const said = error instanceof Error && "stderr" in error ? String(error.stderr).trim() : String(error);
    throw new CommandError(`${advice}\n${said}`, { cause: error });
  }
}
