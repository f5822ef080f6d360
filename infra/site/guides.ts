import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Marked, type Token, type Tokens } from "marked";
import { highlighted } from "./highlight.ts";
import { type Part, partsOf, type Sample } from "./samples.ts";

/** A heading below the title, with its anchor. */
interface Heading {
  readonly id: string;
  readonly text: string;
  readonly depth: number;
}

/** What the search finds: a section of a page, or one line of a table. */
interface Section {
  /** The anchor; empty for the page itself. */
  readonly id: string;
  readonly title: string;
  readonly text: string;
}

/** A guide as a page shows it. */
export interface Guide {
  /** The file's name without its ending, as in its URL. */
  readonly name: string;
  readonly title: string;
  /** The guide's first paragraph, as text. */
  readonly summary: string;
  readonly html: string;
  /** The guide in Markdown, with its samples in it, and links between the copies. */
  readonly markdown: string;
  readonly headings: readonly Heading[];
  readonly sections: readonly Section[];
}

const FOLDER = join(import.meta.dirname, "../../docs/guides");

/** The guides in the order in which they are read, by their names in URLs. */
const FILES = {
  "first-call": "first-call.md",
  "idempotent-sync": "idempotent-sync.md",
  amending: "amending.md",
  lifecycle: "lifecycle.md",
  webhooks: "webhooks.md",
  "never-miss-an-event": "never-miss-an-event.md",
  client: "../../client/README.md",
  "generated-clients": "generated-clients.md",
  errors: "errors.md",
  limits: "limits.md",
  versioning: "versioning.md",
  changelog: "changelog.md",
} as const;

/** Reads the guides and renders them. */
export function readGuides(): Guide[] {
  return Object.entries(FILES).map(([name, file]) => {
    const tokens = marked.lexer(readFileSync(join(FOLDER, file), "utf8"));
    const heading = tokens.find((token): token is Tokens.Heading => token.type === "heading");
    const summary = tokens.find((token): token is Tokens.Paragraph => token.type === "paragraph");
    if (!heading || !summary) throw new Error(`${file} begins with a heading and a paragraph.`);
    const parts = partsOf(tokens);
    return {
      name,
      title: heading.text,
      summary: textOf(summary),
      html: parts.map(htmlOf).join(""),
      markdown: `${parts.map(markdownOf).join("\n\n")}\n`,
      headings: tokens
        .filter(isHeading)
        .filter(({ depth }) => depth === 2 || depth === 3)
        .map(linkTo),
      sections: sectionsOf(tokens),
    };
  });
}

const marked = new Marked({
  renderer: {
    heading({ tokens, depth, text }) {
      return `<h${depth} id="${anchorOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
    },
    code({ text, lang = "" }) {
      return codeBlock(text, lang);
    },
    link({ href, tokens }) {
      return `<a href="${addressOf(href, "")}">${this.parser.parseInline(tokens)}</a>`;
    },
    table({ header, rows }) {
      const names = header.map(({ text }) => text.replaceAll("`", ""));
      const head = header.map(
        ({ tokens }) => `<th role="columnheader">${this.parser.parseInline(tokens)}</th>`,
      );
      const body = rows.map((cells) => {
        const inner = cells.map(
          ({ tokens }, at) =>
            `<td role="cell" data-column="${names[at]}">${this.parser.parseInline(tokens)}</td>`,
        );
        const id = errorCodeIn(names, cells);
        return `<tr role="row"${id ? ` id="${id}"` : ""}>${inner.join("")}</tr>`;
      });
      // On a phone each row is a block of lines. The roles keep it a table for screen readers.
      return `<table role="table"><thead role="rowgroup"><tr role="row">${head.join("")}</tr></thead><tbody role="rowgroup">${body.join("\n")}</tbody></table>\n`;
    },
  },
});

function htmlOf(part: Part): string {
  if ("token" in part) return marked.parser([part.token]);
  const [only, ...others] = part.samples;
  return only && others.length === 0 ? figure(only) : tabs(part.samples);
}

function figure({ label, file, word, source }: Sample): string {
  const caption = file
    ? `<figcaption><span class="language">${label}: </span>${file}</figcaption>`
    : `<figcaption class="language">${label}</figcaption>`;
  return `<figure>${caption}${highlighted(source, word)}</figure>\n`;
}

/** One sample in several languages. The page's script makes tabs of them. */
function tabs(samples: readonly Sample[]): string {
  const panels = samples.map((sample) => `<div data-language="${sample.label}">${figure(sample)}</div>\n`);
  return `<div class="tabs">${panels.join("")}</div>\n`;
}

function codeBlock(code: string, word: string): string {
  const html = highlighted(code, word);
  // The page's script fills in the address of its environment, and a key.
  return code.startsWith("export BASE=") ? html.replace("<pre ", '<pre data-environment="" ') : html;
}

function markdownOf(part: Part): string {
  if ("samples" in part) {
    return part.samples
      .map(({ label, file, word, source }) => {
        const caption = file ? `${label}: ${file}` : label;
        return `${caption}:\n\n\`\`\`${word}\n${source}\n\`\`\``;
      })
      .join("\n\n");
  }
  const { type, raw } = part.token;
  if (type === "code") return raw.trimEnd();
  return raw.trimEnd().replaceAll(/\]\(([^)\s]+)\)/g, (_, href: string) => `](${addressOf(href, ".md")})`);
}

/** Sections by heading, and each error code by itself. */
function sectionsOf(tokens: readonly Token[]): Section[] {
  const sections: { id: string; title: string; text: string }[] = [];
  const errors: Section[] = [];
  for (const token of tokens) {
    const section = sections.at(-1);
    if (isHeading(token)) {
      const { id, text: title, depth } = linkTo(token);
      sections.push({ id: depth === 1 ? "" : id, title, text: "" });
    } else if (section) {
      section.text += `${textOf(token)} `;
    }
    if (token.type === "table") errors.push(...errorsIn(token as Tokens.Table));
  }
  return [...sections, ...errors];
}

function errorsIn({ header, rows }: Tokens.Table): Section[] {
  const names = header.map(({ text }) => text.replaceAll("`", ""));
  return rows.flatMap((cells) => {
    const code = errorCodeIn(names, cells);
    if (!code) return [];
    return [{ id: code, title: `${cells[0]?.text} ${code}`, text: cells.map(textOf).join(" ") }];
  });
}

/** The code in the line of a table of errors, which is its anchor. */
function errorCodeIn(names: readonly string[], cells: readonly Tokens.TableCell[]): string | undefined {
  const at = names.indexOf("error");
  return at < 0 ? undefined : cells[at]?.text.replaceAll("`", "");
}

function isHeading(token: Token): token is Tokens.Heading {
  return token.type === "heading";
}

function linkTo(heading: Tokens.Heading): Heading {
  return { id: anchorOf(heading.text), text: textOf(heading), depth: heading.depth };
}

/** The anchor of a heading, in GitHub's form. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, "")
    .replaceAll(/\s/g, "-");
}

/** The target of a guide's link on the site, whose pages have this ending. */
function addressOf(href: string, ending: "" | ".md"): string {
  const [target = "", anchor] = href.split("#");
  const guide = Object.entries(FILES).find(([, file]) => file === target)?.[0];
  if (guide) return `${guide}${ending}${anchor === undefined ? "" : `#${anchor}`}`;
  if (href === "../openapi.json") return "../../openapi.json";
  if (href.startsWith("#") || href.startsWith("https://")) return href;
  throw new Error(`A guide links to ${href}, which is not on the site.`);
}

/** The text of a token, without its formatting. */
function textOf(token: Token | Tokens.TableCell | Tokens.ListItem): string {
  if ("rows" in token) {
    const { header, rows } = token as Tokens.Table;
    return [header, ...rows].map((cells) => cells.map(textOf).join(" ")).join(" ");
  }
  if ("items" in token) return (token as Tokens.List).items.map(textOf).join(" ");
  if ("tokens" in token && token.tokens) return token.tokens.map(textOf).join("");
  return "text" in token ? token.text : "";
}
