import { execFile } from "node:child_process";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { type BuildOptions, build, type Metafile } from "esbuild";

const sources = import.meta.dirname;

/** How `bin/candidates.js` bundles the command in a clone, too. Its banner is for libraries that are CommonJS. */
const commandBundle = JSON.parse(await readFile(`${sources}/bundle.json`, "utf8")) as BuildOptions;

/** The oldest Node that package.json admits. */
const bundled = { bundle: true, format: "esm", target: "node20" } satisfies BuildOptions;

/** Builds the library into the `dist` of a folder. */
export async function buildLibrary(folder: string): Promise<void> {
  await build({
    ...bundled,
    entryPoints: [`${sources}/src/index.ts`],
    outfile: `${folder}/dist/index.js`,
    // Node's modules do not resolve, as they do not elsewhere.
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

/** Builds the command into the `dist` of a folder: one file with its libraries inside, and their licences. */
export async function buildCommand(folder: string): Promise<void> {
  const { metafile } = await build({
    ...commandBundle,
    entryPoints: [`${sources}/command/candidates.ts`],
    outfile: `${folder}/dist/candidates.js`,
    metafile: true,
  });
  await writeFile(`${folder}/dist/candidates-licenses.txt`, await licensesOf(metafile));
}

/** The licences of the libraries that a bundle holds, each under the library's name. */
async function licensesOf({ inputs }: Metafile): Promise<string> {
  const libraries = new Set(
    Object.keys(inputs).flatMap((path) => /.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? []),
  );
  const texts = [...libraries].sort().map(async (library) => {
    const license = (await readdir(library)).find((file) => /^licen[cs]e/i.test(file));
    if (!license) throw new Error(`${library} has no licence to pass on.`);
    const name = library.slice(library.lastIndexOf("node_modules/") + "node_modules/".length);
    return `${name}\n\n${(await readFile(join(library, license), "utf8")).trim()}\n`;
  });
  return (await Promise.all(texts)).join(`\n${"-".repeat(80)}\n\n`);
}
