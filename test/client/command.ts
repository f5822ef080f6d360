import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildCommand } from "../../client/package.ts";
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
