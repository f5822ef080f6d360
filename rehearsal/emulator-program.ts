import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { defaultCacheDirectory } from "../local/dynamodb/download.ts";
import { runCommand } from "../local/run-command.ts";
import { RehearsalProblem } from "./problem.ts";

/** MiniStack needs 3.10; its pinned requirements are for 3.11 and newer. */
const OLDEST_PYTHON = [3, 11] as const;
const REQUIREMENTS = join(import.meta.dirname, "requirements.txt");

/**
 * The path of the `ministack` program: from the user's cache folder, or installed there by pip, in a virtual
 * environment of its own and held to the hashes of requirements.txt.
 *
 * @throws RehearsalProblem when there is no Python that can, or pip cannot fetch it
 */
export async function emulatorProgram(onProgress: (message: string) => void): Promise<string> {
  const requirements = readFileSync(REQUIREMENTS);
  const python = await pythonVersion();
  const fingerprint = createHash("sha256").update(requirements).update(python).digest("hex").slice(0, 12);
  const environment = join(defaultCacheDirectory(), `ministack-${fingerprint}`);
  const program = join(environment, "bin", "ministack");
  const complete = join(environment, "complete");
  if (existsSync(complete)) return program;

  onProgress(`Installing MiniStack (once) into ${environment}`);
  rmSync(environment, { recursive: true, force: true });
  mkdirSync(environment, { recursive: true });
  await attempt(
    ["python3", "-m", "venv", environment],
    "Python can make no virtual environment: install its venv module (python3-venv on Debian and Ubuntu).",
  );
  await attempt(
    [
      join(environment, "bin", "python"),
      "-m",
      "pip",
      "install",
      "--quiet",
      "--disable-pip-version-check",
      "--require-hashes",
      "--only-binary=:all:",
      "--requirement",
      REQUIREMENTS,
    ],
    "pip could not install the emulator: check that it reaches its package index, and that requirements.txt knows a build for this platform.",
  );
  writeFileSync(complete, "");
  return program;
}

async function pythonVersion(): Promise<string> {
  const wanted = OLDEST_PYTHON.join(".");
  let version: string;
  try {
    const { stdout } = await runCommand("python3", [
      "-c",
      "import platform; print(platform.python_version())",
    ]);
    version = stdout.trim();
  } catch (error) {
    throw new RehearsalProblem(
      `The emulator is a Python program, and no python3 runs here: install Python ${wanted} or newer.`,
      { cause: error },
    );
  }
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major < OLDEST_PYTHON[0] || (major === OLDEST_PYTHON[0] && minor < OLDEST_PYTHON[1])) {
    throw new RehearsalProblem(
      `The emulator needs Python ${wanted} or newer, and python3 on the PATH is ${version}: install a newer one.`,
    );
  }
  return version;
}

async function attempt([command, ...args]: readonly [string, ...string[]], advice: string): Promise<void> {
  try {
    await runCommand(command, args);
  } catch (error) {
    const said = error instanceof Error && "stderr" in error ? String(error.stderr).trim() : String(error);
    throw new RehearsalProblem(`${advice}\n${said}`, { cause: error });
  }
}
