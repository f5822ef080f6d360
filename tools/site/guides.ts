import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createCssVariablesTheme, createHighlighterCore, type ShikiTransformer } from "@shikijs/core";
import { createOnigurumaEngine } from "@shikijs/engine-oniguruma";
import { Marked, type Token, type Tokens } from "marked";

/** A guide as a page shows it. */
export interface Guide {
  /** The file's name without its ending, as it stands in the address. */
  readonly name: string;
  readonly title: string;
  /** The guide's first paragraph, as text. */
  readonly summary: string;
  readonly html: string;
}

const FOLDER = join(import.meta.dirname, "../../docs/guides");

/** The guides in the order in which they are read, by the names that stand in their addresses. */
const FILES = {
  "first-call": "first-call.md",
  "idempotent-sync": "idempotent-sync.md",
  amending: "amending.md",
  lifecycle: "lifecycle.md",
  webhooks: "webhooks.md",
  "never-miss-an-event": "never-miss-an-event.md",
  client: "../../client/README.md",
  errors: "errors.md",
  limits: "limits.md",
  versioning: "versioning.md",
} as const;

/** Languages by the ending of a sample, or the word at a block's fence. */
const LANGUAGES: Readonly<Record<string, string>> = {
  cs: "csharp",
  go: "go",
  http: "http",
  java: "java",
  js: "javascript",
  json: "json",
  py: "python",
  sh: "shellscript",
  ts: "typescript",
};

const highlighter = await createHighlighterCore({
  themes: [createCssVariablesTheme({ name: "variables" })],
  langs: Object.values(LANGUAGES).map((language) => import(`@shikijs/langs/${language}`)),
  engine: createOnigurumaEngine(import("@shikijs/engine-oniguruma/wasm-inlined")),
});

/** Reads the guides and renders them. */
export function readGuides(): Guide[] {
  return Object.entries(FILES).map(([name, file]) => {
    const source = readFileSync(join(FOLDER, file), "utf8");
    const tokens = marked.lexer(source);
    const heading = tokens.find((token): token is Tokens.Heading => token.type === "heading");
    const summary = tokens.find((token): token is Tokens.Paragraph => token.type === "paragraph");
    if (!heading || !summary) throw new Error(`${file} begins with a heading and a paragraph.`);
    return { name, title: heading.text, summary: textOf(summary), html: marked.parser(tokens) };
  });
}

const marked = new Marked({
  renderer: {
    heading({ tokens, depth, text }) {
      const id = text
        .toLowerCase()
        .replaceAll(/[^\w\s-]/g, "")
        .replaceAll(/\s/g, "-");
      return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
    },
    code({ text, lang = "" }) {
      return highlighted(text, lang);
    },
    paragraph({ tokens }) {
      const [only, ...others] = tokens;
      // A paragraph that is nothing but a link to a sample shows the sample.
      if (only?.type === "link" && others.length === 0 && only["href"].startsWith("samples/")) {
        return sample(only["href"], only["text"]);
      }
      return `<p>${this.parser.parseInline(tokens)}</p>\n`;
    },
    link({ href, tokens }) {
      return `<a href="${addressOf(href)}">${this.parser.parseInline(tokens)}</a>`;
    },
    table(token) {
      const row = (cells: Tokens.TableCell[], tag: string) =>
        `<tr>${cells.map(({ tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`).join("")}</tr>`;
      const rows = token.rows.map((cells) => row(cells, "td")).join("\n");
      // A table may be wider than a phone: then it scrolls by itself, also for who has no pointer.
      return `<div class="wide" tabindex="0" role="group" aria-label="Table"><table><thead>${row(token.header, "th")}</thead><tbody>${rows}</tbody></table></div>\n`;
    },
  },
});

function sample(href: string, title: string): string {
  const source = readFileSync(join(FOLDER, href), "utf8").trimEnd();
  return `<figure><figcaption>${title}</figcaption>${highlighted(source, href.split(".").at(-1) ?? "")}</figure>\n`;
}

/** Puts a token's kind into its class, where a style would need a laxer content security policy. */
const kindAsClass: ShikiTransformer = {
  pre(node) {
    node.properties = { tabindex: "0" };
  },
  span(node) {
    const [, kind] = /--shiki-token-([\w-]+)/.exec(String(node.properties["style"])) ?? [];
    node.properties = kind ? { class: kind } : {};
  },
};

function highlighted(code: string, word: string): string {
  const lang = LANGUAGES[word] ?? "text";
  return highlighter.codeToHtml(code, { lang, theme: "variables", transformers: [kindAsClass] });
}

/** Where a link of a guide leads to on the site: guides lose their ending, what is beside the guides is told apart. */
function addressOf(href: string): string {
  const [target = "", anchor] = href.split("#");
  const guide = Object.entries(FILES).find(([, file]) => file === target)?.[0];
  if (guide) return anchor === undefined ? guide : `${guide}#${anchor}`;
  if (href === "../openapi.json") return "../../openapi.json";
  if (href.startsWith("#") || href.startsWith("https://")) return href;
  throw new Error(`A guide links to ${href}, which is not on the site.`);
}

function textOf({ tokens = [] }: { readonly tokens?: Token[] }): string {
  return tokens
    .map((token) => ("tokens" in token ? textOf(token) : "text" in token ? token.text : ""))
    .join("");
}
