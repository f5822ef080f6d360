import { readFileSync } from "node:fs";
import { describe, expect, inject, test } from "vitest";
import { ERROR_STATUS } from "#contract/errors";
import { operations } from "../docs/description.ts";
import { send } from "./client.ts";

const baseUrl = inject("baseUrl");
const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
  fetch(baseUrl + path, { headers });

/** The addresses that a page loads or leads to. */
function addressesIn(html: string, page: string): URL[] {
  return [...html.matchAll(/ (?:href|src)="([^"]+)"/g)]
    .map(([, address = ""]) => new URL(address, baseUrl + page))
    .filter(({ protocol }) => protocol.startsWith("http"));
}

describe("the documentation", () => {
  test.each(["/", "/docs", "/docs/guides", "/docs/guides/first-call"])(
    "at %s requires no API key",
    async (path) => {
      const response = await get(path);

      expect(response.status).toBe(200);
      expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
      expect(response.headers.get("x-request-id")).toMatch(/\S/);
    },
  );

  test.each(["/docs", "/docs/guides/first-call", "/openapi.json", "/docs/never"])(
    "at %s responds to HEAD as to GET, without a body",
    async (path) => {
      const { status, headers } = await get(path);

      const head = await fetch(baseUrl + path, { method: "HEAD" });

      expect(await head.text()).toBe("");
      expect(head.status).toBe(status);
      for (const name of ["content-type", "etag", "cache-control"]) {
        expect(head.headers.get(name)).toBe(headers.get(name));
      }
    },
  );

  test.each([
    ["/docs/", "/docs"],
    ["/docs/guides/", "/docs/guides"],
    ["/docs/guides/webhooks/", "/docs/guides/webhooks"],
  ])("at %s leads to %s, where its relative links begin", async (path, page) => {
    const { status, url } = await get(path);

    expect([status, url]).toEqual([200, baseUrl + page]);
  });

  test.each(["/docs", "/docs/guides/webhooks"])(
    "at %s runs only its own scripts and cannot be framed",
    async (path) => {
      const { headers } = await get(path);

      const policy = headers.get("content-security-policy") ?? "";
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toMatch(/script-src(?! 'self'(?:;|$))/);
      expect(policy).not.toContain("http");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("referrer-policy")).toBe("no-referrer");
    },
  );

  test("has no dead link, and marks only its assets as immutable", async () => {
    const pages = ["/docs", "/docs/guides"];
    const seen = new Map<string, string>();
    for (const page of pages) {
      const html = await (await get(page)).text();
      for (const { origin, pathname, hash, href } of addressesIn(html, page)) {
        if (origin !== new URL(baseUrl).origin) continue;
        const path = href.slice(baseUrl.length).replace(hash, "");
        if (!seen.has(path)) {
          const response = await get(path);
          expect(response.status, `${page} leads to ${pathname}`).toBe(200);
          const isAsset = path.startsWith("/docs/assets/");
          expect(response.headers.get("cache-control")).toBe(
            isAsset ? "public, max-age=31536000, immutable" : "no-cache",
          );
          seen.set(path, await response.text());
          if (path.startsWith("/docs/guides/")) pages.push(path);
        }
        if (hash) expect(seen.get(path), `${page} leads to ${href}`).toContain(`id="${hash.slice(1)}"`);
      }
    }
    expect(pages.length).toBeGreaterThan(9);
  });

  test("begins with the quickstart, wherever the environment's base URL is", async () => {
    const response = await fetch(`${baseUrl}/`, { redirect: "manual" });

    expect(response.status).toBe(302);
    expect(new URL(response.headers.get("location") ?? "", `${baseUrl}/`).href).toBe(
      `${baseUrl}/docs/guides/first-call`,
    );
    const followed = await (await fetch(`${baseUrl}/`)).text();
    expect(followed).toContain('<h1 id="quickstart">');
  });

  test("has a copy in Markdown of each page, which llms.txt lists", async () => {
    const list = await get("/llms.txt");
    expect(list.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    const copies = [...(await list.text()).matchAll(/\]\((docs\/[^)]+)\)/g)].map(
      ([, path]) => `${baseUrl}/${path}`,
    );

    const pages = ["/docs", "/docs/guides"];
    const index = await (await get("/docs/guides")).text();
    pages.push(
      ...[...index.matchAll(/<li><a href="guides\/([^"]+)"/g)].map(([, name]) => `/docs/guides/${name}`),
    );
    for (const page of pages) {
      const html = await (await get(page)).text();
      const [, copy = ""] = /<link rel="alternate" type="text\/markdown" href="([^"]+)">/.exec(html) ?? [];
      const { href } = new URL(copy, baseUrl + page);
      const response = await fetch(href);
      expect(response.headers.get("content-type"), href).toBe("text/markdown; charset=utf-8");
      const markdown = await response.text();
      expect(markdown).toMatch(/^# /);
      const prose = markdown.replaceAll(/^```.*?^```/gms, "");
      for (const [, link = ""] of prose.matchAll(/\]\((?!https:)([^)#\s]+)/g)) {
        expect((await fetch(new URL(link, href))).status, `${href} leads to ${link}`).toBe(200);
      }
      if (page !== "/docs/guides") expect(copies).toContain(href);
    }
    expect(await (await get("/docs/guides/webhooks.md")).text()).toContain("def is_genuine(body: bytes");
    expect(await (await get("/docs/guides/first-call.md")).text()).toContain("requests.post(");
  });

  test("has a search that knows every heading, error code and operation", async () => {
    const found = (await (await get("/docs/search.json")).json()) as { url: string; title: string }[];

    const titles = found.map(({ title }) => title);
    for (const code of Object.keys(ERROR_STATUS)) {
      expect(titles).toContainEqual(expect.stringMatching(new RegExp(`^\\d{3} ${code}$`)));
    }
    for (const { operation } of operations) expect(titles).toContain(operation.summary);
    // The viewer makes the reference's anchors.
    const inGuides = found.map(({ url }) => url.split("#")).filter(([page]) => page !== "docs");
    for (const [page = "", sections] of Map.groupBy(inGuides, ([name]) => name)) {
      const html = await (await get(`/${page}`)).text();
      for (const [, anchor] of sections) if (anchor) expect(html, page).toContain(`id="${anchor}"`);
    }
  });

  test("includes the OpenAPI description as JSON", async () => {
    const response = await get("/openapi.json");

    expect(response.headers.get("content-type")).toBe("application/json");
    expect(await response.json()).toEqual(JSON.parse(readFileSync("docs/openapi.json", "utf8")));
  });

  test("gets a 304 if the entity tag matches", async () => {
    const tag = (await get("/docs")).headers.get("etag") ?? "";

    expect((await get("/docs", { "If-None-Match": tag })).status).toBe(304);
    expect((await get("/docs", { "If-None-Match": `"other", W/${tag}` })).status).toBe(304);
    expect((await get("/docs", { "If-None-Match": "*" })).status).toBe(304);
    expect((await get("/docs", { "If-None-Match": '"other"' })).status).toBe(200);
  });

  test.each([
    "/docs/nothing",
    "/docs/index.json",
    "/docs/../index.js",
    "/docs/%2e%2e/index.js",
    "/docs/__proto__",
    "/docs/guides$'",
  ])("responds to the unknown page %s with a 404 envelope", async (path) => {
    const { status, body } = await send({ method: "GET", path });

    expect(status).toBe(404);
    expect(body["error"]).toBe("not_found");
  });

  test.each(["/", "/docs", "/docs/guides", "/openapi.json", "/llms.txt"])(
    "at %s accepts only GET and HEAD",
    async (path) => {
      const bodies = [{}, { headers: [["Content-Type", "text/xml"]] as const, body: "<x/>" }];
      for (const body of bodies) {
        const { status, headers } = await send({ method: "POST", path, ...body });

        expect(status).toBe(405);
        expect(headers.allow).toBe("GET, HEAD");
      }
    },
  );
});
