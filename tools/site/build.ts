import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readGuides } from "./guides.ts";
import { guidePage, guidesPage, type Paths, referencePage } from "./pages.ts";
import { viewer } from "./viewer.ts";

interface Asset {
  /** As in `viewer.js`. */
  readonly name: string;
  readonly content: Buffer;
}

interface SiteFile {
  readonly path: string;
  readonly content: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

const CONTENT_TYPES = { css: "text/css; charset=utf-8", js: "text/javascript; charset=utf-8" } as const;

/** A page loads what this site serves, and nothing else. */
const OWN =
  "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; img-src 'self' data:";

/** What a reference page needs more: the viewer writes styles into the page while it runs. */
const REFERENCE_POLICY = `${OWN}; script-src 'self'; connect-src 'self'; font-src 'self'; style-src 'self' 'unsafe-inline'`;

const GUIDE_POLICY = `${OWN}; style-src 'self'`;

const secureHeaders = {
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
} as const;

/**
 * Writes the documentation to a folder: pages, all that they load, and the OpenAPI description, with an
 * `index.json` that tells for each path its file and its headers.
 */
export function writeSite(folder: string): void {
  const assets = readAssets();
  const assetFolder = `/docs/assets/${fingerprint(assets)}`;
  const paths: Paths = {
    reference: "/docs",
    guides: "/docs/guides",
    description: "/openapi.json",
    assets: assetFolder,
  };
  const guides = readGuides();
  const site = [
    page(paths.reference, referencePage(paths), REFERENCE_POLICY),
    page(paths.guides, guidesPage(guides, paths), GUIDE_POLICY),
    ...guides.map((guide) =>
      page(`${paths.guides}/${guide.name}`, guidePage(guide, guides, paths), GUIDE_POLICY),
    ),
    fresh(
      paths.description,
      readFileSync(join(import.meta.dirname, "../../docs/openapi.json")),
      "application/json",
    ),
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
  const own = ["reference.css", "reference.js", "site.css"].map((name) => ({
    name,
    content: readFileSync(join(import.meta.dirname, name)),
  }));
  return [...own, { name: "viewer.js", content: viewer }];
}

/** Changes with any asset, so that each may be kept for ever under the path that it is in. */
function fingerprint(assets: readonly Asset[]): string {
  const hash = createHash("sha256");
  for (const { name, content } of assets) hash.update(name).update(content);
  return hash.digest("hex").slice(0, 16);
}

function page(path: string, html: string, policy: string): SiteFile {
  const { headers, ...rest } = fresh(path, Buffer.from(html), "text/html; charset=utf-8");
  return { ...rest, headers: { ...headers, "Content-Security-Policy": policy } };
}

/** A file that is asked for anew each time, and sent only when it has changed. */
function fresh(path: string, content: Buffer, contentType: string): SiteFile {
  const tag = createHash("sha256").update(content).digest("base64url");
  return {
    path,
    content,
    headers: { "Content-Type": contentType, "Cache-Control": "no-cache", ETag: `"${tag}"` },
  };
}

function immutable(path: string, { name, content }: Asset): SiteFile {
  const contentType = CONTENT_TYPES[name.endsWith(".css") ? "css" : "js"];
  // A year, the longest that caches honour (RFC 8246).
  return {
    path,
    content,
    headers: { "Content-Type": contentType, "Cache-Control": "public, max-age=31536000, immutable" },
  };
}
