import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pageOf } from "./page.ts";
import { RECORDS_FILE, Records, readRecords } from "./records.ts";

const PROJECT = join(import.meta.dirname, "../..");
export const PAGE_FILE = join(PROJECT, "docs/reliability.md");

type Search = "stories" | "storiesWithSdk" | "generatedRequests";

/** What a search saw, less when. */
type Seen<Name extends Search> = Omit<NonNullable<Records[Name]>, "date">;

/** Records what a search has seen, and writes the page anew. */
export function record<Name extends Search>(name: Name, seen: Seen<Name>): void {
  write({ ...readRecords(), [name]: { ...today(), ...seen } });
}

/** Records whether a mistake was found, and writes the page anew. */
export function recordMistake(
  name: string,
  seen: { readonly commit: string; readonly seeds: number; readonly foundBy?: number },
): void {
  const records = readRecords();
  write({ ...records, mistakes: { ...records.mistakes, [name]: { ...today(), ...seen } } });
}

/** Records how many mutants of a source file the tests killed, and writes the page anew. */
export function recordMutants(
  file: string,
  seen: { readonly commit: string; readonly killed: number; readonly mutants: number },
): void {
  const records = readRecords();
  write({ ...records, mutants: { ...records.mutants, [file]: { ...today(), ...seen } } });
}

function today(): { readonly date: string } {
  return { date: new Date().toISOString().slice(0, 10) };
}

function write(records: Records): void {
  writeFileSync(RECORDS_FILE, `${JSON.stringify(Records.parse(records), null, 2)}\n`);
  writeFileSync(PAGE_FILE, pageOf(records));
}

/** What was recorded before is no change of the code. */
const RECORDED = ["tools/reliability/reliability.json", "docs/reliability.md"];

/**
 * The commit that a search runs on, to be asked for before it begins: a search takes hours, in which the working tree
 * may become that of another commit.
 *
 * @throws Error when the working tree is not that of a commit: nobody could repeat the search
 */
export function commitUnderTest(): string {
  const git = (...args: string[]) => execFileSync("git", args, { cwd: PROJECT, encoding: "utf8" }).trim();
  const changed = git("status", "--porcelain", "--", ".", ...RECORDED.map((file) => `:!${file}`));
  if (changed !== "")
    throw new Error(`Commit first, so that the record names what was searched:\n${changed}`);
  return git("rev-parse", "--short", "HEAD");
}
