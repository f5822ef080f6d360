import { rmSync } from "node:fs";
import { join } from "node:path";
import type { DataDirectory } from "./machine/data-directory.ts";

/** A stack of a cloud assembly. */
export interface AssemblyLocation {
  readonly directory: string;
  readonly stackName: string;
}

/** The source of assemblies: an existing one, or one synthesised for each start and reload. */
export type AssemblyOrigin =
  | AssemblyLocation
  | {
      readonly stackName: string;
      /** @param builds a folder in which a synthesis finds what an earlier one left */
      synthesise(directory: string, builds: string): Promise<void>;
    };

/** The assemblies that the stack runs, one after another. */
export class AssemblySource {
  readonly #origin: AssemblyOrigin;
  readonly #data: DataDirectory;

  constructor(origin: AssemblyOrigin, data: DataDirectory) {
    this.#origin = origin;
    this.#data = data;
    // Assemblies of earlier starts are no longer needed.
    rmSync(data.folder("assemblies"), { recursive: true });
  }

  /** @throws CommandError if synthesis fails */
  async next(onProgress: (message: string) => void): Promise<AssemblyLocation> {
    if ("directory" in this.#origin) return this.#origin;
    const { stackName } = this.#origin;
    onProgress(`Synthesising ${stackName}`);
    const directory = join(this.#data.folder("assemblies"), String(Date.now()));
    await this.#origin.synthesise(directory, this.#data.folder("builds"));
    return { directory, stackName };
  }

  /** Deletes an assembly that no longer runs, if it was synthesised for this stack. */
  discard({ directory }: AssemblyLocation): void {
    if (!("directory" in this.#origin)) rmSync(directory, { recursive: true, force: true });
  }
}
