import { createHash } from "node:crypto";
import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Metafile } from "esbuild";

/** What every bundle depends on, apart from its sources: options, versions, and how names are resolved. */
const COMMON = ["infra/bundles.ts", "package.json", "tsconfig.json"];

/** The hash of each file that a bundle was built from, by path. */
type Sources = Readonly<Record<string, string>>;

/** The files that a function's bundle was built from. */
export function sourcesOf(entryPoint: string, { inputs }: Metafile): Set<string> {
  const reached = new Set([entryPoint]);
  // A set is iterated up to its end, including what is added meanwhile.
  for (const path of reached) {
    for (const imported of inputs[path]?.imports ?? []) if (!imported.external) reached.add(imported.path);
  }
  return reached;
}

/** A folder of bundles that is kept between runs, with the sources of each. */
export class KeptBundles {
  readonly folder: string;
  readonly #root: string;
  readonly #hashes = new Map<string, string | undefined>();
  readonly #times = new Map<string, number>();

  constructor(folder: string, root: string) {
    this.folder = folder;
    this.#root = root;
  }

  /**
   * Whether a bundle is what a build would produce. If not, it is forgotten.
   *
   * @param expected the files that a build would use, if they are known before it
   */
  has(name: string, expected: readonly string[] = []): boolean {
    const sources = this.#sources(name);
    const isCurrent =
      sources !== undefined &&
      expected.every((path) => path in sources) &&
      Object.entries(sources).every(([path, hash]) => this.#hash(path) === hash);
    if (!isCurrent) rmSync(this.#record(name), { force: true });
    return isCurrent;
  }

  /**
   * Records the sources of a bundle that was built.
   *
   * @param begunAt when the build began, in ms since 1970: what has changed since may not be in the bundle
   */
  add(name: string, files: Iterable<string>, begunAt: number): void {
    const paths = [...COMMON, ...files];
    if (paths.some((path) => this.#changedAt(path) >= begunAt)) return;
    writeFileSync(
      this.#record(name),
      JSON.stringify(Object.fromEntries(paths.map((path) => [path, this.#hash(path)]))),
    );
  }

  #changedAt(path: string): number {
    let changedAt = this.#times.get(path);
    if (changedAt === undefined) {
      changedAt = statSync(join(this.#root, path), { throwIfNoEntry: false })?.mtimeMs ?? 0;
      this.#times.set(path, changedAt);
    }
    return changedAt;
  }

  #sources(name: string): Sources | undefined {
    try {
      return JSON.parse(readFileSync(this.#record(name), "utf8"));
    } catch {
      return undefined;
    }
  }

  #record(name: string): string {
    return join(this.folder, `${name}.sources.json`);
  }

  #hash(path: string): string | undefined {
    if (!this.#hashes.has(path)) this.#hashes.set(path, hashOf(join(this.#root, path)));
    return this.#hashes.get(path);
  }
}

/** The hash of a file's content; undefined if it cannot be read. */
function hashOf(file: string): string | undefined {
  try {
    return createHash("sha256").update(readFileSync(file)).digest("base64url");
  } catch {
    return undefined;
  }
}
