import { execFile } from "node:child_process";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";

const sources = import.meta.dirname;

/** Builds the library into the `dist` of a folder. */
export async function buildLibrary(folder: string): Promise<void> {
  await build({
    entryPoints: [`${sources}/src/index.ts`],
    outfile: `${folder}/dist/index.js`,
    bundle: true,
    format: "esm",
    // The oldest that package.json admits; its built-in modules would not resolve, as they do not elsewhere.
    target: "node20",
    platform: "neutral",
  });
}

/** Writes the library's declarations into the `dist` of a folder, checked against web standards alone. */
export async function declareLibrary(folder: string): Promise<void> {
  const dist = join(folder, "dist");
  await promisify(execFile)("tsc", ["--project", sources, "--outDir", dist]);
  // The compiler leaves the sources' own extension in imports, which Deno and older compilers cannot follow.
  for (const name of (await readdir(dist)).filter((file) => file.endsWith(".d.ts"))) {
    const declarations = await readFile(join(dist, name), "utf8");
    await writeFile(join(dist, name), declarations.replaceAll(/(from "\.\/[\w-]+)\.ts"/g, '$1.js"'));
  }
}
