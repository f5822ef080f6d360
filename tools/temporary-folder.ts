import { mkdtempSync, rmSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";

const folders = new Set<string>();

/** A new folder, removed when this process ends, also by a signal. */
export function temporaryFolder(prefix: string): string {
  if (folders.size === 0) removeAtTheEnd();
  const folder = mkdtempSync(join(tmpdir(), prefix));
  folders.add(folder);
  return folder;
}

function removeAtTheEnd(): void {
  process.once("exit", () => {
    // A program that this process has started may still be writing to it.
    for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    // Without a listener, a signal ends a process without its exit event. A command may have a listener of its own.
    if (process.listenerCount(signal) === 0) {
      process.once(signal, () => process.exit(128 + constants.signals[signal]));
    }
  }
}
