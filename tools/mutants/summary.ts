import { readFileSync } from "node:fs";
import { z } from "zod";
import { FOLDERS, mutatedFilesIn } from "./mutated-files.ts";
import { isComplete, KILLED, type Result, resultsOf } from "./results.ts";

/** Why mutants survive: by file, and by the line of its source on which they are. */
const Survivors = z.record(z.string(), z.record(z.string(), z.string().min(1)));

/** The score by folder and all of it, and each survivor that no line explains. */
export function summary(): string {
  const explained = Survivors.parse(
    JSON.parse(readFileSync(new URL("survivors.json", import.meta.url), "utf8")),
  );
  const lines: string[] = [];
  const survivors: string[] = [];
  const all: Result[] = [];
  for (const folder of FOLDERS) {
    const files = mutatedFilesIn([folder]).map(({ file }) => ({ file, results: resultsOf(file) }));
    const results = files.flatMap((each) => each.results ?? []);
    all.push(...results);
    const missing = files.filter(({ file }) => !isComplete(file)).length;
    lines.push(`${score(folder, results)}${missing > 0 ? `; ${missing} files are not complete` : ""}`);
    for (const { file, results = [] } of files) {
      const alive = results.filter(({ status }) => !KILLED.has(status));
      lines.push(`  ${score(file, results)}${isComplete(file) ? "" : " (not complete)"}`);
      const reasons = explained[file] ?? {};
      const unexplained = alive.filter(({ text }) => reasons[text] === undefined);
      survivors.push(...unexplained.map((result) => `${file}:${described(result)}`));
      const texts = new Set(alive.map(({ text }) => text));
      const outdated = Object.keys(reasons).filter((text) => results.length > 0 && !texts.has(text));
      survivors.push(...outdated.map((text) => `${file}: nothing survives on the line ${text}`));
    }
  }
  return [...lines, score("all", all), "", ...survivors].join("\n");
}

function score(name: string, results: readonly Result[]): string {
  const killed = results.filter(({ status }) => KILLED.has(status)).length;
  const share = results.length === 0 ? "-" : `${((100 * killed) / results.length).toFixed(1)} %`;
  return `${name.padEnd(46)} ${share.padStart(8)}  ${killed} of ${results.length}`;
}

function described({ line, status, mutator, original, replacement }: Result): string {
  const short = (code: string) => code.replace(/\s+/g, " ").slice(0, 70);
  return `${line} ${status} ${mutator}: ${short(original)} => ${short(replacement)}`;
}
