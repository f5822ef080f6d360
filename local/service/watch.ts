import { join, relative } from "node:path";
import { watch } from "chokidar";
import { CommandError } from "../machine/command-error.ts";
import { PROJECT } from "./project.ts";

/** Waits for further changes: editors write a file in several steps, and a branch switch writes many. */
const QUIET_MS = 200;

/** The sources of the assembly. */
export const SOURCES = ["cdk.json", "docs", "functions", "infra", "lib"];

/**
 * Calls `reload` after source changes, with the changed files: one reload at a time, and another one if the sources
 * changed meanwhile. Resolves when every source is watched, or `onError` has been called.
 *
 * @param onError called when sources cannot be watched, at the beginning or later
 */
export async function watchSources(
  reload: (changed: readonly string[]) => Promise<void>,
  onError: (error: CommandError) => void,
): Promise<void> {
  const changed = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let running = Promise.resolve();
  const apply = async () => {
    const files = [...changed];
    changed.clear();
    if (files.length > 0) await reload(files);
  };
  const watcher = watch(
    SOURCES.map((path) => join(PROJECT, path)),
    { ignoreInitial: true },
  )
    .on("all", (_, path) => {
      changed.add(relative(PROJECT, path));
      clearTimeout(timer);
      timer = setTimeout(() => {
        running = running.then(apply);
      }, QUIET_MS);
    })
    .on("error", (cause) => onError(unwatched(cause)));
  await new Promise<void>((resolve) => watcher.once("ready", resolve));
}

function unwatched(cause: unknown): CommandError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new CommandError(
    `Changes may go unnoticed, because not every source can be watched: ${reason}. Correct this, then start again.`,
    { cause },
  );
}
