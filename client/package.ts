import { execFile } from "node:child_process";
import { readdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { type BuildOptions, build, type Metafile } from "esbuild";
import { sbomOf } from "./sbom.ts";

const sources = import.meta.dirname;

/** How `bin/candidates.js` bundles the command in a clone, too. Its banner is for libraries that are CommonJS. */
const commandBundle = JSON.parse(await readFile(`${sources}/bundle.json`, "utf8")) as BuildOptions;

/** The oldest Node that package.json admits. */
const bundled = { bundle: true, target: "node20" } satisfies BuildOptions;

/** Builds the library into the `dist` of a folder, for `import` and for `require`. */
export async function buildLibrary(folder: string): Promise<void> {
  const formats = [
    ["esm", "index.js"],
    ["cjs", "index.cjs"],
  ] as const;
  for (const [format, file] of formats) {
    await build({
      ...bundled,
      format,
      entryPoints: [`${sources}/src/index.ts`],
      outfile: `${folder}/dist/${file}`,
      // Node's modules do not resolve, because the library also runs where they do not exist.
      platform: "neutral",
    });
  }
}

/**
 * Writes the library's declarations into the `dist` of a folder, checked against web standards alone. They are
 * declarations of CommonJS modules, which an ES module may refer to, while the reverse is an error.
 */
export async function writeDeclarations(folder: string): Promise<void> {
  const dist = join(folder, "dist");
  await promisify(execFile)("tsc", ["--project", sources, "--outDir", dist]);
  for (const name of (await readdir(dist)).filter((file) => file.endsWith(".d.ts"))) {
    const file = join(dist, name);
    const declarations = await readFile(file, "utf8");
    // The compiler leaves the sources' own extension in imports, also in the types that it infers.
    await writeFile(file, declarations.replaceAll(/((?:from |import\()"\.\/[\w-]+)\.ts"/g, '$1.cjs"'));
    await rename(file, file.replace(/\.ts$/, ".cts"));
  }
  await writeFile(join(dist, "index.d.ts"), 'export * from "./index.cjs";\n');
}

/**
 * Builds the command into the `dist` of a folder: one file with its libraries inside, and their licences.
 *
 * @returns the libraries' folders
 */
export async function buildCommand(folder: string): Promise<string[]> {
  const { metafile } = await build({
    ...commandBundle,
    entryPoints: [`${sources}/command/candidates.ts`],
    outfile: `${folder}/dist/candidates.js`,
    metafile: true,
  });
  const libraries = librariesIn(metafile);
  await writeFile(`${folder}/dist/candidates-licenses.txt`, await licensesOf(libraries));
  return libraries;
}

/** Writes the software bill of materials (SBOM) into the `dist` of a folder. */
export async function writeSbom(folder: string, libraries: readonly string[]): Promise<void> {
  await writeFile(`${folder}/dist/sbom.cdx.json`, await sbomOf(libraries));
}

/** The folders of the libraries that a bundle holds. */
function librariesIn({ inputs }: Metafile): string[] {
  const folders = Object.keys(inputs).flatMap(
    (path) => /.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? [],
  );
  return [...new Set(folders)].sort();
}

/** The licences of libraries, each under the library's name. */
async function licensesOf(libraries: readonly string[]): Promise<string> {
  const texts = libraries.map(async (library) => {
    const license = (await readdir(library)).find((file) => /^licen[cs]e/i.test(file));
    if (!license) throw new Error(`${library} has no licence to pass on.`);
    const name = library.slice(library.lastIndexOf("node_modules/") + "node_modules/".length);
    return `${name}\n\n${(await readFile(join(library, license), "utf8")).trim()}\n`;
  });
  return (await Promise.all(texts)).join(`\n${"-".repeat(80)}\n\n`);
}
