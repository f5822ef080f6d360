import { rmSync } from "node:fs";
import { join } from "node:path";
import type { DataDirectory } from "./data-directory.ts";

/** A stack of a cloud assembly. */
export interface AssemblyLocation {
  readonly directory: string;
  readonly stackName: string;
}

/** Where assemblies come from: one that is there already, or one that is written anew for each start and reload. */
export type AssemblyOrigin =
  | AssemblyLocation
  | { readonly stackName: string; synthesise(directory: string): Promise<void> };

/** The assemblies that the stack runs, one after another. */
export class AssemblySource {
  readonly #origin: AssemblyOrigin;
  readonly #data: DataDirectory;

  constructor(origin: AssemblyOrigin, data: DataDirectory) {
    this.#origin = origin;
    this.#data = data;
    // What earlier starts synthesised is of no use any more.
    rmSync(data.folder("assemblies"), { recursive: true });
  }

  /** @throws CommandError when it does not synthesise */
  async next(onProgress: (message: string) => void): Promise<AssemblyLocation> {
    if ("directory" in this.#origin) return this.#origin;
    const { stackName } = this.#origin;
    onProgress(`Synthesising ${stackName}`);
    const directory = join(this.#data.folder("assemblies"), String(Date.now()));
    await this.#origin.synthesise(directory);
    return { directory, stackName };
  }

  /** Deletes an assembly that runs no longer, if it was written for this stack. */
  discard({ directory }: AssemblyLocation): void {
    if (!("directory" in this.#origin)) rmSync(directory, { recursive: true, force: true });
  }
}
