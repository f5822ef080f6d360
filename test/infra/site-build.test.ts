import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { writeSite } from "../../infra/site/build.ts";
import { temporaryFolder } from "../builders/temporary-folder.ts";

type Index = Record<string, { readonly headers: Readonly<Record<string, string>> }>;

/** The site's files, by path. */
async function builtSite(): Promise<Index> {
  const folder = await temporaryFolder();
  writeSite(folder);
  return JSON.parse(readFileSync(join(folder, "index.json"), "utf8"));
}

describe("the documentation's site", () => {
  test("keeps its files apart from other sites", async () => {
    const site = await builtSite();
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
    const site = await builtSite();
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
});
