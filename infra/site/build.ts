import { createHash } from "node:crypto";
import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { transformSync } from "esbuild";
import { descriptionFile } from "./description.ts";
import { readGuides } from "./guides.ts";
import { guidePage, guidesPage, type Paths, referencePage } from "./pages.ts";
import { findables, guidesMarkdown, llmsText, referenceMarkdown } from "./texts.ts";
import { viewer } from "./viewer.ts";

interface Asset {
  /** As in `viewer.js`. */
  readonly name: string;
  readonly content: Buffer | string;
}

interface SiteFile {
  readonly path: string;
  readonly content: Buffer | string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The search in the guides' pages. */
const SEARCH_LIBRARY = fileURLToPath(import.meta.resolve("minisearch"));

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
};

const MARKDOWN = "text/markdown; charset=utf-8";

/** A page loads what this site serves, and nothing else. */
const OWN =
  "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; img-src 'self' data:";

/** What a reference page needs more: the viewer writes styles into the page while it runs. */
const REFERENCE_POLICY = `${OWN}; script-src 'self'; connect-src 'self'; font-src 'self'; style-src 'self' 'unsafe-inline'`;

const GUIDE_POLICY = `${OWN}; script-src 'self'; connect-src 'self'; style-src 'self'`;

const secureHeaders = {
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
} as const;

/**
 * Writes the documentation to a folder: pages, all that they load, and the OpenAPI description, with an
 * `index.json` that contains the file and the headers of each path.
 */
export function writeSite(folder: string): void {
  const guides = readGuides();
  const assets = readAssets();
  const assetFolder = `/docs/assets/${fingerprint(assets)}`;
  const paths: Paths = {
    reference: "/docs",
    guides: "/docs/guides",
    description: "/openapi.json",
    llms: "/llms.txt",
    assets: assetFolder,
  };
  const site = [
    page(paths.reference, referencePage(paths), REFERENCE_POLICY),
    page(paths.guides, guidesPage(guides, paths), GUIDE_POLICY),
    ...guides.map((guide) =>
      page(`${paths.guides}/${guide.name}`, guidePage(guide, guides, paths), GUIDE_POLICY),
    ),
    ...guides.map(({ name, markdown }) => fresh(`${paths.guides}/${name}.md`, markdown, MARKDOWN)),
    fresh(`${paths.guides}.md`, guidesMarkdown(guides), MARKDOWN),
    fresh(`${paths.reference}/reference.md`, referenceMarkdown(), MARKDOWN),
    fresh(`${paths.reference}/search.json`, JSON.stringify(findables(guides)), "application/json"),
    fresh(paths.llms, llmsText(guides), "text/plain; charset=utf-8"),
    fresh(paths.description, descriptionFile, "application/json"),
    ...assets.map((asset) => immutable(`${assetFolder}/${asset.name}`, asset)),
  ];
  mkdirSync(folder, { recursive: true });
  const index = site.map(({ path, content, headers }) => {
    const file = path.slice(1).replaceAll("/", "_");
    writeFileSync(join(folder, file), content);
    return [path, { file, headers: { ...headers, ...secureHeaders } }];
  });
  writeFileSync(join(folder, "index.json"), JSON.stringify(Object.fromEntries(index)));
}

function readAssets(): Asset[] {
  const own = globSync("*.{css,js}", { cwd: import.meta.dirname }).sort();
  return [
    ...own.map((name) => ({ name, content: readFileSync(join(import.meta.dirname, name)) })),
    { name: "minisearch.js", content: minified(SEARCH_LIBRARY) },
    { name: "viewer.js", content: viewer },
  ];
}

function minified(file: string): string {
  return transformSync(readFileSync(file, "utf8"), { minify: true, format: "esm", legalComments: "inline" })
    .code;
}

/** Changes with any asset, so that each may be cached forever under its path. */
function fingerprint(assets: readonly Asset[]): string {
  const hash = createHash("sha256");
  for (const { name, content } of assets) hash.update(name).update(content);
  return hash.digest("hex").slice(0, 16);
}

function page(path: string, html: string, policy: string): SiteFile {
  const { headers, ...rest } = fresh(path, html, "text/html; charset=utf-8");
  return { ...rest, headers: { ...headers, "Content-Security-Policy": policy } };
}

/** A file that is asked for anew each time, and sent only when it has changed. */
function fresh(path: string, content: Buffer | string, contentType: string): SiteFile {
  const tag = createHash("sha256").update(content).digest("base64url");
  return {
    path,
    content,
    headers: { "Content-Type": contentType, "Cache-Control": "no-cache", ETag: `"${tag}"` },
  };
}

function immutable(path: string, { name, content }: Asset): SiteFile {
  const contentType = CONTENT_TYPES[extname(name)] ?? "";
  // A year, as in the example of RFC 8246.
  return {
    path,
    content,
    headers: { "Content-Type": contentType, "Cache-Control": "public, max-age=31536000, immutable" },
  };
}
