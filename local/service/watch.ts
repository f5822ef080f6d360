import { join } from "node:path";
import { watch } from "chokidar";
import { PROJECT } from "./project.ts";

/** Waits for further changes: editors write a file in several steps, and a branch switch writes many. */
const QUIET_MS = 200;

/** Calls `reload` after source changes: one reload at a time, and another one if the sources changed meanwhile. */
export function watchSources(reload: () => Promise<void>): void {
  let timer: NodeJS.Timeout | undefined;
  let running = Promise.resolve();
  watch(
    ["cdk.json", "docs", "functions", "infra", "lib", "tools/site"].map((path) => join(PROJECT, path)),
    { ignoreInitial: true },
  ).on("all", () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      running = running.then(reload);
    }, QUIET_MS);
  });
}
