import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Token, Tokens } from "marked";
import { description, operationsIn } from "./description.ts";

/** A program that a guide shows. */
export interface Sample {
  /** The language, as a tab names it. */
  readonly label: string;
  /** The file's name; undefined for a program that has none. */
  readonly file?: string;
  /** The ending of a file, or the word at a block's fence. */
  readonly word: string;
  readonly source: string;
}

const FOLDER = join(import.meta.dirname, "../../docs/guides");

/**
 * The samples that a paragraph stands for, if it is nothing but a link: to a file of `samples/`, whose text is the
 * language and the file's name, or to an operation of the description, as in `../openapi.json#createCandidate`.
 */
function samplesOf(token: Token): readonly Sample[] {
  const [link, ...others] = token.type === "paragraph" ? ((token as Tokens.Paragraph).tokens ?? []) : [];
  if (link?.type !== "link" || others.length > 0) return [];
  const { href, text } = link as Tokens.Link;
  if (href.startsWith("samples/")) return [fileSample(href, text)];
  const [, operationId] = /^\.\.\/openapi\.json#(\w+)$/.exec(href) ?? [];
  return operationId === undefined ? [] : operationSamples(operationId);
}

function fileSample(href: string, text: string): Sample {
  const [label = "", file = ""] = text.split(": ");
  const source = readFileSync(join(FOLDER, href), "utf8").trimEnd();
  return { label, file, word: href.split(".").at(-1) ?? "", source };
}

/** An operation's samples in other languages than the shell's, which a guide has itself. */
function operationSamples(operationId: string): Sample[] {
  const found = operationsIn(description).find((each) => each.operationId === operationId);
  if (!found) throw new Error(`A guide shows the operation ${operationId}, which the description lacks.`);
  return found["x-codeSamples"]
    .filter(({ lang }) => lang !== "shell")
    .map(({ lang, label, source }) => ({ label, word: lang, source }));
}

/** A guide's tokens, with the samples that follow one another as one list of them. */
export type Part = { readonly token: Token } | { readonly samples: readonly Sample[] };

/** Collects samples that follow one another; a shell block before an operation's samples is one of them. */
export function partsOf(tokens: readonly Token[]): Part[] {
  const spoken = tokens.filter(({ type }) => type !== "space");
  const parts: Part[] = [];
  for (const [at, token] of spoken.entries()) {
    const isShell = token.type === "code" && token["lang"] === "sh";
    const next = spoken[at + 1];
    const samples =
      isShell && next && samplesOf(next).length > 1
        ? [{ label: "curl", word: "sh", source: String(token["text"]) }]
        : samplesOf(token);
    const last = parts.at(-1);
    if (samples.length === 0) parts.push({ token });
    else if (last && "samples" in last && !isShell)
      parts.splice(-1, 1, { samples: [...last.samples, ...samples] });
    else parts.push({ samples });
  }
  return parts;
}
