import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The folder of one rehearsal: the emulator's state, the cloud assembly, the logs. */
export interface Workplace {
  readonly path: string;
  /** The path of a file in it. */
  file(name: string): string;
  /** The path of a folder in it, which exists from then on. */
  folder(name: string): string;
  remove(): void;
}

export function aWorkplace(): Workplace {
  const path = mkdtempSync(join(tmpdir(), "candidate-service-rehearsal-"));
  return {
    path,
    file: (name) => join(path, name),
    folder(name) {
      const folder = join(path, name);
      mkdirSync(folder, { recursive: true });
      return folder;
    },
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}
