import { CommanderError } from "commander";
import { CommandError, UsageError } from "./errors.ts";

/** Exit codes: the command succeeded; it failed; or the command, or a file given to it, is invalid. */
export const SUCCEEDED = 0;
export const FAILED = 1;
const MISUSED = 2;

/**
 * The exit code of a command that has thrown an error.
 *
 * @param report called with the error's message, unless Commander has printed it
 * @throws the error if it is a fault of the command itself
 */
export function exitCodeAfter(error: unknown, report: (message: string) => void): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? SUCCEEDED : MISUSED;
  if (!(error instanceof UsageError || error instanceof CommandError)) throw error;
  report(error.message);
  return error instanceof UsageError ? MISUSED : FAILED;
}
