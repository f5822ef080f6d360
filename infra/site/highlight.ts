import { createCssVariablesTheme, createHighlighterCore, type ShikiTransformer } from "@shikijs/core";
import { createOnigurumaEngine } from "@shikijs/engine-oniguruma";

/** Languages by the ending of a sample, or the word at a block's fence. */
const LANGUAGES: Readonly<Record<string, string>> = {
  cs: "csharp",
  go: "go",
  http: "http",
  java: "java",
  js: "javascript",
  json: "json",
  mts: "typescript",
  php: "php",
  py: "python",
  python: "python",
  rb: "ruby",
  sh: "shellscript",
  ts: "typescript",
  typescript: "typescript",
};

const highlighter = await createHighlighterCore({
  themes: [createCssVariablesTheme({ name: "variables" })],
  langs: [...new Set(Object.values(LANGUAGES))].map((language) => import(`@shikijs/langs/${language}`)),
  engine: createOnigurumaEngine(import("@shikijs/engine-oniguruma/wasm-inlined")),
});

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

/**
 * Code as HTML.
 *
 * @param word the ending of a file, or the word at a block's fence
 */
export function highlighted(code: string, word: string): string {
  const lang = LANGUAGES[word] ?? "text";
  return highlighter.codeToHtml(code, {
    lang,
    theme: "variables",
    transformers: [kindAsClass],
    // By default Shiki stops highlighting a line after half a second: a busy machine would build other pages, and so
    // another function, from the same sources.
    tokenizeTimeLimit: 0,
  });
}
