import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";

/** A file of the page, as served. */
export interface PageFile {
  readonly contentType: string;
  readonly contents: string;
}

const FOLDER = join(import.meta.dirname, "page");

/** The page's files by path, with its script and its style sheet bundled from the sources. */
export async function buildPage(): Promise<ReadonlyMap<string, PageFile>> {
  const [html, bundle] = await Promise.all([
    readFile(join(FOLDER, "index.html"), "utf8"),
    build({
      entryPoints: [join(FOLDER, "page.tsx"), join(FOLDER, "page.css")],
      outdir: FOLDER,
      bundle: true,
      minify: true,
      format: "esm",
      target: "es2022",
      jsx: "automatic",
      jsxImportSource: "preact",
      write: false,
      logLevel: "silent",
    }),
  ]);
  const bundled = (name: string) =>
    bundle.outputFiles.find(({ path }) => path === join(FOLDER, name))?.text ?? "";
  return new Map([
    ["/console", { contentType: "text/html; charset=utf-8", contents: html }],
    ["/console/page.css", { contentType: "text/css; charset=utf-8", contents: bundled("page.css") }],
    ["/console/page.js", { contentType: "text/javascript; charset=utf-8", contents: bundled("page.js") }],
  ]);
}
