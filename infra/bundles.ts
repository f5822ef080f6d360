import { globSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildSync } from "esbuild";

const root = join(import.meta.dirname, "..");
let folder: string | undefined;

/** The folder with a function's bundle, `index.mjs`. All functions are built at once, the first time one is asked for. */
export function bundleOf(name: string): string {
  folder ??= buildAll();
  return join(folder, name);
}

function buildAll(): string {
  // CDK copies what it takes into the cloud assembly.
  const outdir = mkdtempSync(join(tmpdir(), "candidate-service-functions-"));
  process.once("exit", () => rmSync(outdir, { recursive: true, force: true }));
  buildSync({
    entryPoints: globSync("functions/*.ts", { cwd: root }),
    outdir,
    entryNames: "[name]/index",
    outExtension: { ".js": ".mjs" },
    absWorkingDir: root,
    bundle: true,
    minify: true,
    sourcemap: true,
    sourcesContent: false,
    platform: "node",
    target: "node24",
    format: "esm",
    // The SDK's ES modules: a tree that can be shaken is a third of the size.
    mainFields: ["module", "main"],
    // What is left of CommonJS in the bundle asks for Node's own modules.
    banner: {
      js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
    },
    logLevel: "warning",
  });
  return outdir;
}
