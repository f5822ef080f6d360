import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { writeSite } from "../../infra/site/build.ts";
import { temporaryFolder } from "../builders/temporary-folder.ts";

type Index = Record<string, { readonly file: string; readonly headers: Readonly<Record<string, string>> }>;

async function builtSite(): Promise<{ readonly folder: string; readonly index: Index }> {
  const folder = await temporaryFolder();
  writeSite(folder);
  return { folder, index: JSON.parse(readFileSync(join(folder, "index.json"), "utf8")) };
}

describe("the documentation's site", () => {
  test("keeps its files apart from other sites", async () => {
    const { index } = await builtSite();
    for (const [path, { headers }] of Object.entries(index)) {
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
    const { index } = await builtSite();
    const pages = Object.entries(index).filter(([, { headers }]) =>
      headers["Content-Type"]?.includes("html"),
    );
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

  test("has each file with the content of its own path", async () => {
    const { folder, index } = await builtSite();
    const files = Object.values(index).map(({ file }) => file);
    expect(new Set(files).size).toBe(files.length);
    expect(readFileSync(join(folder, index["/docs/guides/webhooks"]?.file ?? ""), "utf8")).toMatch(
      /<title>[^<]*ebhooks/,
    );
  });
});
