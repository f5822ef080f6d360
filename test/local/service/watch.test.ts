import { EventEmitter } from "node:events";
import { basename } from "node:path";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { watchSources } from "../../../local/service/watch.ts";

const watcher = new EventEmitter();
afterEach(() => void watcher.removeAllListeners());
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

test("sources that change together are reloaded at once, and those that change meanwhile after that", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const reloads: string[][] = [];
  const first = Promise.withResolvers<void>();
  const watching = watchSources(
    (changed) => {
      reloads.push(changed.map((path) => basename(path)));
      return first.promise;
    },
    (error) => expect.unreachable(String(error)),
  );
  watcher.emit("ready");
  await watching;
  const change = async (file: string, quietMs: number) => {
    watcher.emit("all", "change", file);
    await vi.advanceTimersByTimeAsync(quietMs);
  };

  await change("a.ts", 150);
  await change("b.ts", 150);
  expect(reloads).toEqual([]);
  await vi.advanceTimersByTimeAsync(50);
  await change("c.ts", 1_000);
  expect(reloads).toEqual([["a.ts", "b.ts"]]);

  first.resolve();
  await vi.advanceTimersByTimeAsync(0);
  expect(reloads).toEqual([["a.ts", "b.ts"], ["c.ts"]]);
});
