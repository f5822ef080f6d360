import { EventEmitter } from "node:events";
import { expect, test, vi } from "vitest";
import { watchSources } from "../../../local/service/watch.ts";

const watcher = new EventEmitter();
vi.mock("chokidar", () => ({ watch: () => watcher }));

test("an error while sources are watched is reported in one sentence, and the others stay watched", async () => {
  const errors: Error[] = [];
  const { promise: reloaded, resolve } = Promise.withResolvers<readonly string[]>();
  const watching = watchSources(
    async (changed) => resolve(changed),
    (error) => void errors.push(error),
  );
  watcher.emit("error", new Error("ENOSPC: System limit for number of file watchers reached"));
  watcher.emit("ready");
  await watching;
  watcher.emit("all", "change", "lib/contract/values.ts");

  expect((await reloaded).join()).toMatch(/lib\/contract\/values\.ts$/);
  expect(errors.map(({ name, message }) => `${name}: ${message}`)).toEqual([
    "CommandError: Changes may go unnoticed, because not every source can be watched: ENOSPC: System limit for number of file watchers reached. Correct this, then start again.",
  ]);
});
