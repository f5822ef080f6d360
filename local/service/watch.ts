import { once } from "node:events";
import { join, relative } from "node:path";
import { watch } from "chokidar";
import { PROJECT } from "./project.ts";

/** Waits for further changes: editors write a file in several steps, and a branch switch writes many. */
const QUIET_MS = 200;

/** The sources of the assembly. */
export const SOURCES = ["cdk.json", "docs", "functions", "infra", "lib"];

/**
 * Calls `reload` after source changes, with the changed files: one reload at a time, and another one if the sources
 * changed meanwhile. Resolves when every source is watched.
 */
export async function watchSources(reload: (changed: readonly string[]) => Promise<void>): Promise<void> {
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
  ).on("all", (_, path) => {
    changed.add(relative(PROJECT, path));
    clearTimeout(timer);
    timer = setTimeout(() => {
      running = running.then(apply);
    }, QUIET_MS);
  });
  await once(watcher, "ready");
}
