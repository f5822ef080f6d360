import { spawnSync } from "node:child_process";

/** A program that a test needs, with the arguments that make it print its version. */
export type Tool = readonly [command: string, ...args: string[]];

/** Whether one of these programs does not run here; says on standard error that this is why `what` is skipped. */
export function lacksTool(what: string, tools: readonly Tool[]): boolean {
  const missing = tools.find(([command, ...args]) => spawnSync(command, args).status !== 0);
  if (missing) process.stderr.write(`${what} is skipped: no ${missing[0]} runs here.\n`);
  return missing !== undefined;
}
