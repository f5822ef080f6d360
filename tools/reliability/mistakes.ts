import { execFile } from "node:child_process";
import { cp, readdir, readFile, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { runCommand } from "../../local/machine/run-command.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const execute = promisify(execFile);

/** What a copy of the project does without. */
const LEFT_OUT = /^(?:\.|cdk\.out$|node_modules$|test$)/;

/** A search for a mistake. */
interface Search {
  /** The project's folder. */
  readonly project: string;
  /** A folder with what the project would deploy. A mistake in `infra` is synthesised anew. */
  readonly assembly: string;
  /** The most stories that are run. */
  readonly seeds: number;
}

/** What a search saw of a mistake. */
interface Verdict {
  /** The seed that found it. */
  readonly foundBy?: number;
  /** The first seed that breaks a promise, and the promise; or how much was searched. */
  readonly says: string;
}

/**
 * Makes a copy of the project with a mistake in it, and searches there until a story breaks a promise.
 *
 * @param patch the mistake, as a file that git applies
 * @throws Error when the patch does not apply, or the service does not start with it
 */
export async function searchForMistake(
  patch: string,
  { project, assembly, seeds }: Search,
): Promise<Verdict> {
  const copy = temporaryFolder("mistake-");
  try {
    const sources = (await readdir(project)).filter((name) => !LEFT_OUT.test(name));
    await Promise.all(sources.map((name) => cp(join(project, name), join(copy, name), { recursive: true })));
    await symlink(join(project, "node_modules"), join(copy, "node_modules"));
    await execute("git", ["apply", patch], { cwd: copy });
    const isDeployed = /^\+\+\+ b\/infra\//m.test(await readFile(patch, "utf8"));
    const options = ["--seeds", String(seeds), "--until-found", "--brief"];
    const search = [
      "tools/reliability/simulate.ts",
      ...options,
      ...(isDeployed ? [] : ["--assembly", assembly]),
    ];
    // The cache knows a module by its path, and that of the copy is never used again.
    const env = { ...process.env, NODE_COMPILE_CACHE: undefined };
    const { code, stdout, stderr } = await outcomeOf(
      runCommand(process.execPath, search, { cwd: copy, env }),
    );
    if (code > 1 || !/stories in/.test(stdout)) throw new Error(`The search failed: ${stderr || stdout}`);
    const lines = stdout.split("\n");
    const says = lines.find((line) => line.startsWith(code === 1 ? "seed " : `${seeds} stories`)) ?? "";
    const seed = /^seed (\d+):/.exec(says)?.[1];
    return { says, ...(seed !== undefined && { foundBy: Number(seed) }) };
  } finally {
    await rm(copy, { recursive: true });
  }
}

async function outcomeOf(running: Promise<{ stdout: string; stderr: string }>) {
  try {
    return { code: 0, ...(await running) };
  } catch (error) {
    const { code, stdout = "", stderr = "" } = error as { code?: number; stdout?: string; stderr?: string };
    return { code: code ?? 2, stdout, stderr };
  }
}
