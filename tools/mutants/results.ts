import { createHash } from "node:crypto";
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { z } from "zod";

/** Where runs leave their results: outside git, for a run takes hours and no result is a source. */
export const DIRECTORY = ".local/mutants";

/** What decides a result: the mutated code, the tests and what they run on. */
const SOURCES = [
  "lib/**/*.ts",
  "test/**/*.ts",
  "functions/**/*.ts",
  "tools/**/*.ts",
  "{.,tools/mutants/stryker}/package-lock.json",
];

const Position = z.object({ line: z.number(), column: z.number() });
const Mutant = z.looseObject({
  mutatorName: z.string(),
  replacement: z.string().optional(),
  status: z.string(),
  location: z.object({ start: Position, end: Position }),
});
/** The part of Stryker's incremental file that is read here; its schema is that of mutation-testing-elements. */
const Report = z.looseObject({
  files: z.record(z.string(), z.looseObject({ source: z.string(), mutants: z.array(Mutant) })),
});

/** All else counts as survived: what no test reaches, what is switched off, what ends in an error. */
export const KILLED: ReadonlySet<string> = new Set(["Killed", "Timeout"]);

/** A mutant of one file, with what it stands for in the source. */
export interface Result {
  readonly status: string;
  readonly mutator: string;
  readonly line: number;
  /** The line of the source that it begins on. */
  readonly text: string;
  readonly original: string;
  readonly replacement: string;
}

/** Stryker's incremental file of a source file. */
export function resultsFile(file: string): string {
  return `${DIRECTORY}/${file}.json`;
}

/** Whether a source file's mutants have run to the end on the sources as they are. */
export function isDone(file: string, sources: string): boolean {
  return isComplete(file) && readFileSync(stateFile(file, "done"), "utf8") === sources;
}

/** Whether a source file's results are those of a run to its end, be it on older sources. */
export function isComplete(file: string): boolean {
  return existsSync(stateFile(file, "done"));
}

/**
 * To be called before a run. What survived on other sources is forgotten: Stryker keeps a survivor that runs as its
 * module is loaded, whatever tests have come since.
 */
export function setBegun(file: string, sources: string): void {
  rmSync(stateFile(file, "done"), { force: true });
  const begun = stateFile(file, "begun");
  const isSame = existsSync(begun) && readFileSync(begun, "utf8") === sources;
  if (!isSame && existsSync(resultsFile(file))) {
    const report = Report.parse(JSON.parse(readFileSync(resultsFile(file), "utf8")));
    for (const each of Object.values(report.files)) {
      each.mutants = each.mutants.filter(({ status }) => KILLED.has(status));
    }
    writeFileSync(resultsFile(file), JSON.stringify(report));
  }
  mkdirSync(dirname(begun), { recursive: true });
  writeFileSync(begun, sources);
}

export function setDone(file: string, sources: string): void {
  writeFileSync(stateFile(file, "done"), sources);
}

/** The hash of all sources that a result depends on. */
export function hashOfSources(): string {
  const hash = createHash("sha256");
  for (const file of globSync(SOURCES).sort()) hash.update(file).update(readFileSync(file));
  return hash.digest("hex");
}

/** The mutants of a file, as its last run left them; undefined when it has not run. */
export function resultsOf(file: string): Result[] | undefined {
  if (!existsSync(resultsFile(file))) return undefined;
  const { files } = Report.parse(JSON.parse(readFileSync(resultsFile(file), "utf8")));
  const { source, mutants } = files[file] ?? { source: "", mutants: [] };
  const lines = source.split("\n");
  return mutants.map(({ status, mutatorName, replacement = "", location: { start, end } }) => {
    const mutated = lines.slice(start.line - 1, end.line);
    const last = mutated.length - 1;
    mutated[last] = (mutated[last] ?? "").slice(0, end.column - 1);
    mutated[0] = (mutated[0] ?? "").slice(start.column - 1);
    return {
      status,
      mutator: mutatorName,
      line: start.line,
      text: (lines[start.line - 1] ?? "").trim(),
      original: mutated.join("\n"),
      replacement,
    };
  });
}

/** How many mutants of a file there are, and how many of them the tests killed. */
export function countOf(file: string): { readonly killed: number; readonly mutants: number } {
  const results = resultsOf(file) ?? [];
  return {
    killed: results.filter(({ status }) => KILLED.has(status)).length,
    mutants: results.length,
  };
}

/** Holds the hash of the sources that the last run began on, or came to its end on. */
function stateFile(file: string, state: "begun" | "done"): string {
  return `${DIRECTORY}/${file}.${state}`;
}
