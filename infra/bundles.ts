import { globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { type BuildFailure, buildSync, type Metafile } from "esbuild";
import { bundling } from "./bundling.ts";
import { KeptBundles, sourcesOf } from "./kept-bundles.ts";
import { keepLinesOf } from "./source-maps.ts";

const root = bundling.absWorkingDir;
const { KEPT_BUNDLES } = process.env;
const kept = KEPT_BUNDLES ? new KeptBundles(KEPT_BUNDLES, root) : undefined;

/** The pages of get-documentation, and what they are made from. */
const SITE = "site";
const SITE_SOURCES = ["infra/site/*", "docs/guides/**/*.*", "docs/openapi.json", "client/README.md"];
const siteSources = globSync(SITE_SOURCES, { cwd: root });
/** Loaded only if the pages are to be written: what renders them takes as long to load as a stack to synthesise. */
const site = kept?.has(SITE, siteSources) ? undefined : await import("./site/build.ts");

let built: { readonly folder: string; readonly metafile: Metafile } | undefined;

/** The folder with a function's bundle, `index.js`. The first call builds all functions. */
export function bundleOf(name: string): string {
  built ??= buildAll();
  return join(built.folder, name);
}

/**
 * The content of a function's bundle: the bytes that each source file takes up in it.
 *
 * @internal Exported for benchmarks.
 */
export function contentsOf(name: string): Metafile["outputs"][string] {
  built ??= buildAll();
  const bundle = join(built.folder, name, "index.js");
  const output = Object.entries(built.metafile.outputs).find(([path]) => join(root, path) === bundle);
  if (!output) throw new Error(`There is no function ${name}.`);
  return output[1];
}

/** Builds every function and the pages, or in a folder of kept bundles those whose sources have changed. */
function buildAll() {
  const folder = kept?.folder ?? temporaryFolder();
  const nameOf = (entryPoint: string) => basename(entryPoint, ".ts");
  const entryPoints = globSync("functions/*/*.ts", { cwd: root }).filter((each) => !kept?.has(nameOf(each)));
  const begunAt = Date.now();
  const metafile = entryPoints.length > 0 ? build(entryPoints, folder) : { inputs: {}, outputs: {} };
  for (const entryPoint of entryPoints) {
    // The local stack's assembly is below a package.json with a different `type`.
    const manifest = join(folder, nameOf(entryPoint), "package.json");
    writeFileSync(manifest, JSON.stringify({ type: "commonjs" }));
    kept?.add(nameOf(entryPoint), sourcesOf(entryPoint, metafile), begunAt);
  }
  if (site) {
    const pages = join(folder, "get-documentation", "site");
    rmSync(pages, { recursive: true, force: true });
    site.writeSite(pages);
    kept?.add(SITE, siteSources, begunAt);
  }
  return { folder, metafile };
}

function build(entryPoints: readonly string[], outdir: string): Metafile {
  const options = { ...bundling, entryPoints: [...entryPoints], outdir };
  const { metafile } = buildSync({ ...options, entryNames: "[name]/index", metafile: true });
  for (const path of Object.keys(metafile.outputs).filter((each) => each.endsWith(".map"))) {
    keepLinesOf(join(root, path));
  }
  return metafile;
}

/** Whether an error is esbuild's about the sources, which it has printed already. */
export function isBuildFailure(error: unknown): error is BuildFailure {
  return error instanceof Error && "errors" in error && "warnings" in error;
}

/**
 * CDK copies the files that it needs into the cloud assembly. Source maps name the sources relative to this folder. It
 * is inside the project, so that the same commit gives the same bundles in every checkout: otherwise a deployment from
 * another one would replace every function.
 */
function temporaryFolder(): string {
  const cache = join(root, "node_modules/.cache");
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, "functions-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
