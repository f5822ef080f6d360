import { posix } from "node:path";
import type { Guide } from "./guides.ts";

/** Where the parts of the site are, from the environment's base address. */
export interface Paths {
  readonly reference: string;
  readonly guides: string;
  readonly description: string;
  readonly llms: string;
  readonly assets: string;
}

/** On every page, in this order: the frame with navigation and search, the text, and the samples in it. */
const STYLES = ["site.css", "text.css", "code.css"];

const PRODUCT = "Candidate Management Service";

interface Page {
  readonly path: string;
  /** Where its copy in Markdown is. */
  readonly markdown: string;
  readonly title: string;
  readonly description: string;
  readonly styles: readonly string[];
  readonly scripts: readonly string[];
  readonly body: string;
}

/** The reference: every operation and event, with calls to try, shown by the viewer. */
export function referencePage(paths: Paths): string {
  return html(paths, {
    path: paths.reference,
    markdown: `${paths.reference}/reference.md`,
    title: `${PRODUCT} API`,
    description: "Every operation and event of the API, with calls to try.",
    styles: [...STYLES, "reference.css"],
    scripts: ["site.js", "reference.js"],
    body: '<div id="reference"></div><noscript><main id="content" tabindex="-1" class="text"><p>The reference needs JavaScript. The guides do not.</p></main></noscript>',
  });
}

/** The list of guides. */
export function guidesPage(guides: readonly Guide[], paths: Paths): string {
  const items = guides.map(
    ({ name, title, summary }) =>
      `<li><a href="${relative(paths.guides, `${paths.guides}/${name}`)}">${title}</a><p>${escaped(summary)}</p></li>`,
  );
  const markdown = `${paths.guides}.md`;
  return html(paths, {
    path: paths.guides,
    markdown,
    title: `Guides · ${PRODUCT}`,
    description: "How to create candidates, keep them up to date and receive events.",
    styles: STYLES,
    scripts: ["site.js"],
    body: `<main id="content" tabindex="-1" class="text"><h1>Guides</h1><ul class="guides">${items.join("")}</ul>${footer(paths, paths.guides, markdown)}</main>`,
  });
}

/** One guide, between the list of all and the list of its own headings. */
export function guidePage(guide: Guide, guides: readonly Guide[], paths: Paths): string {
  const path = `${paths.guides}/${guide.name}`;
  const markdown = `${path}.md`;
  const items = guides.map(({ name, title }) => {
    const current = name === guide.name ? ' aria-current="page"' : "";
    return `<li><a href="${relative(path, `${paths.guides}/${name}`)}"${current}>${title}</a></li>`;
  });
  const next = guides[guides.indexOf(guide) + 1];
  const onward = next ? `<p class="next">Next: <a href="${next.name}">${next.title}</a></p>` : "";
  return html(paths, {
    path,
    markdown,
    title: `${guide.title} · ${PRODUCT}`,
    description: guide.summary,
    styles: STYLES,
    scripts: ["site.js"],
    body: `<div class="columns"><nav class="list" aria-label="Guides"><ul>${items.join("")}</ul></nav>${contents(guide)}<main id="content" tabindex="-1" class="text">${guide.html}${onward}${footer(paths, path, markdown)}</main></div>`,
  });
}

/** The headings of a guide. The page's script opens them where there is room beside the text. */
function contents({ headings }: Guide): string {
  if (headings.length < 2) return "";
  const items = headings.map(
    ({ id, text, depth }) => `<li class="depth-${depth}"><a href="#${id}">${escaped(text)}</a></li>`,
  );
  return `<nav class="contents" aria-label="On this page"><details><summary>On this page</summary><ul>${items.join("")}</ul></details></nav>`;
}

function footer(paths: Paths, path: string, markdown: string): string {
  return `<footer><a href="${relative(path, markdown)}">This page in Markdown</a> <a href="${relative(path, paths.description)}">OpenAPI description</a> <a href="${relative(path, paths.llms)}">llms.txt</a></footer>`;
}

function html(paths: Paths, { path, markdown, title, description, styles, scripts, body }: Page): string {
  const asset = (name: string) => relative(path, `${paths.assets}/${name}`);
  const links = [
    ["Quickstart", `${paths.guides}/first-call`],
    ["Guides", paths.guides],
    ["API reference", paths.reference],
    ["Changelog", `${paths.guides}/changelog`],
  ] as const;
  const navigation = links.map(([text, target]) => {
    const current = target === path ? ' aria-current="page"' : "";
    return `<a href="${relative(path, target)}"${current}>${text}</a>`;
  });
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<meta name="description" content="${escaped(description)}">
<link rel="icon" href="data:,">
<link rel="alternate" type="text/markdown" href="${relative(path, markdown)}">
${styles.map((name) => `<link rel="stylesheet" href="${asset(name)}">`).join("\n")}
${scripts.map((name) => `<script type="module" src="${asset(name)}"></script>`).join("\n")}
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<nav class="site" aria-label="Documentation"><strong>${PRODUCT}</strong>${navigation.join("")}</nav>
${body}
</body>
</html>
`;
}

/** A link that also works below a stage's name, `https://…/production/docs`. */
function relative(from: string, to: string): string {
  return posix.join(posix.relative(posix.dirname(from), posix.dirname(to)), posix.basename(to));
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
