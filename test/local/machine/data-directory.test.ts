import fs, { existsSync, readdirSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { DataDirectory } from "../../../local/machine/data-directory.ts";
import { temporaryFolder } from "../../builders/temporary-folder.ts";

test("A reset that is killed while it deletes leaves nothing that the next start would take for its own", async () => {
  const folder = await temporaryFolder();
  const data = new DataDirectory(folder, { version: 1 });
  data.identity();
  for (const entry of ["builds", "checkpoints", "dynamodb", "queues"] as const) data.folder(entry);
  data.release();

  killedInDeletion();
  expect(() => new DataDirectory(folder, { version: 1, reset: true })).toThrow("killed");

  expect(readdirSync(folder).filter((name) => !/^(?:lock\.sqlite|\.deleted-)/.test(name))).toEqual([]);
  expect(readdirSync(folder)).toContain(".deleted-builds");
});

test("The next start deletes what a killed reset has left", async () => {
  const folder = await temporaryFolder();
  fs.mkdirSync(join(folder, ".deleted-builds/deliver-webhook"), { recursive: true });

  new DataDirectory(folder, { version: 1 }).release();

  expect(existsSync(join(folder, ".deleted-builds"))).toBe(false);
});

/** Makes every deletion of something that exists end the caller. */
function killedInDeletion(): void {
  const deletion = vi.spyOn(fs, "rmSync").mockImplementation((path) => {
    if (existsSync(path)) throw new Error("killed");
  });
  syncBuiltinESMExports();
  onTestFinished(() => {
    deletion.mockRestore();
    syncBuiltinESMExports();
  });
}
