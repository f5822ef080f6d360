import { homedir } from "node:os";
import { join } from "node:path";

/** The root of the project. */
export const PROJECT = join(import.meta.dirname, "..", "..");

/** The stack that runs on this machine: that of the development environment. */
export const STACK = "CandidateService-development";

/** The folder for downloads, shared by all checkouts of this user (XDG base directories, else `~/.cache`). */
export function cacheDirectory(): string {
  return join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "candidate-management-service");
}
