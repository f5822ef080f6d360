import { join } from "node:path";
import { watch } from "chokidar";
import { PROJECT } from "./project.ts";

/** Editors write a file in several steps, and a change of branch writes many. */
const QUIET_MS = 200;

/** Calls `reload` after changes to what the stack is made from; one reload at a time, and one more if it changed meanwhile. */
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
