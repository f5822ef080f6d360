import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { writeSite } from "../../infra/site/build.ts";
import { temporaryFolder } from "../builders/temporary-folder.ts";

type Index = Record<string, { readonly file: string; readonly headers: Readonly<Record<string, string>> }>;

async function writtenSite(): Promise<{ readonly folder: string; readonly site: Index }> {
  const folder = await temporaryFolder();
  writeSite(folder);
  return { folder, site: JSON.parse(readFileSync(join(folder, "index.json"), "utf8")) };
}

describe("the documentation's site", () => {
  test("keeps its files apart from other sites", async () => {
    const { site } = await writtenSite();
    for (const [path, { headers }] of Object.entries(site)) {
      expect(headers, path).toMatchObject({
        "Content-Type": expect.stringContaining("/"),
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
      });
    }
  });

  test("allows a page to load only what the site serves", async () => {
    const { site } = await writtenSite();
    const pages = Object.entries(site).filter(([, { headers }]) => headers["Content-Type"]?.includes("html"));
    expect(pages.length).toBeGreaterThan(10);
    for (const [path, { headers }] of pages) {
      const policy = headers["Content-Security-Policy"]?.split("; ");
      expect(policy, path).toEqual(
        expect.arrayContaining([
          "default-src 'none'",
          "base-uri 'none'",
          "form-action 'none'",
          "frame-ancestors 'none'",
          "script-src 'self'",
          "connect-src 'self'",
        ]),
      );
      if (path !== "/docs") expect(policy, path).toContain("style-src 'self'");
    }
  });

  test("leads from one guide to a section of another", async () => {
    const { folder, site } = await writtenSite();
    const htmlOf = (path: string) => readFileSync(join(folder, site[path]?.file ?? path), "utf8");
    const guides = Object.keys(site).filter((path) => /^\/docs\/guides\/[\w-]+$/.test(path));
    const links = guides.flatMap((path) => [
      ...htmlOf(path).matchAll(/<a href="(?<guide>[\w-]+)#(?<id>[\w-]+)"/g),
    ]);

    for (const { groups: { guide, id } = {} } of links) {
      expect(htmlOf(`/docs/guides/${guide}`), `${guide}#${id}`).toContain(`id="${id}"`);
    }
    const sources = globSync("docs/guides/*.md").map((file) => readFileSync(file, "utf8"));
    const written = sources.flatMap((text) => [...text.matchAll(/\]\([\w-]+\.md#(?<id>[\w-]+)\)/g)]);
    const idsOf = (found: RegExpExecArray[]) => found.map(({ groups }) => groups?.["id"]);
    expect(written.length).toBeGreaterThan(20);
    expect(idsOf(links)).toEqual(expect.arrayContaining(idsOf(written)));
  });
});
