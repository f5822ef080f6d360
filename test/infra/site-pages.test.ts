import { expect, test } from "vitest";
import type { Guide } from "../../infra/site/guides.ts";
import { guidePage, guidesPage, type Paths } from "../../infra/site/pages.ts";

const PATHS: Paths = {
  reference: "/docs",
  guides: "/docs/guides",
  description: "/openapi.json",
  llms: "/llms.txt",
  assets: "/docs/assets/1",
};

function aGuide(name: string, more: Partial<Guide> = {}): Guide {
  const text = { title: `About ${name}`, summary: "", html: "", markdown: "" };
  return { name, ...text, headings: [], sections: [], ...more };
}

test("what a guide says in characters of HTML is text on the pages of the documentation", () => {
  const headings = ["<first>", '"second" & last'].map((text) => ({ id: "id", text, depth: 2 }));
  const guide = aGuide("bounds", { summary: 'at most "<b>" & more', headings });

  const [list, page] = [guidesPage([guide], PATHS), guidePage(guide, [guide], PATHS)];

  expect(list).toContain("<p>at most &quot;&lt;b>&quot; &amp; more</p>");
  expect(page).toContain('content="at most &quot;&lt;b>&quot; &amp; more"');
  expect(page).toContain('<a href="#id">&lt;first></a>');
  expect(page).toContain('<a href="#id">&quot;second&quot; &amp; last</a>');
});

test("a guide leads to the next one, and is marked in the list of all", () => {
  const guides = [aGuide("first"), aGuide("second")] as const;

  const [first, second] = guides.map((guide) => guidePage(guide, guides, PATHS));

  expect(first).toContain('Next: <a href="second">About second</a>');
  expect(second).not.toContain("Next:");
  expect(second).toContain('<a href="second" aria-current="page">About second</a>');
  expect(second).toContain('<li><a href="first">About first</a></li>');
});
