import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { pageOf } from "./page.ts";

const PROJECT = join(import.meta.dirname, "../..");
const RECORDS_FILE = join(PROJECT, "docs/reliability.json");
export const PAGE_FILE = join(PROJECT, "docs/reliability.md");

const ran = { commit: z.string(), date: z.iso.date() };
const count = z.int().check(z.nonnegative());

/** What each search has seen when it ran last: on which commit, how much, and what it found. */
export const Records = z.object({
  stories: z
    .object({ ...ran, stories: count, operations: count, faults: count, deliveries: count, broken: count })
    .optional(),
  storiesWithSdk: z
    .object({ ...ran, stories: count, operations: count, faults: count, deliveries: count, broken: count })
    .optional(),
  /** By patch: how many seeds were searched at most, and the one that found it. */
  mistakes: z.record(z.string(), z.object({ ...ran, seeds: count, foundBy: count.optional() })).optional(),
  /** By source file: hours pass between the first and the last. */
  mutants: z.record(z.string(), z.object({ ...ran, killed: count, mutants: count })).optional(),
});
export type Records = z.infer<typeof Records>;

type Search = "stories" | "storiesWithSdk";

/** What a search saw, less when and on what. */
type Seen<Name extends Search> = Omit<NonNullable<Records[Name]>, "commit" | "date">;

/**
 * Records what a search has seen, and writes the page anew.
 *
 * @throws Error when the working tree is not that of a commit: nobody could repeat the search
 */
export function record<Name extends Search>(name: Name, seen: Seen<Name>): void {
  write({ ...readRecords(), [name]: { ...run(), ...seen } });
}

/**
 * Records whether a mistake was found, and writes the page anew.
 *
 * @throws Error as {@link record}
 */
export function recordMistake(
  name: string,
  seen: { readonly seeds: number; readonly foundBy?: number },
): void {
  const records = readRecords();
  write({ ...records, mistakes: { ...records.mistakes, [name]: { ...run(), ...seen } } });
}

/**
 * Records how many mutants of a source file the tests killed, and writes the page anew.
 *
 * @throws Error as {@link record}
 */
export function recordMutants(
  file: string,
  seen: { readonly killed: number; readonly mutants: number },
): void {
  const records = readRecords();
  write({ ...records, mutants: { ...records.mutants, [file]: { ...run(), ...seen } } });
}

function run(): { readonly commit: string; readonly date: string } {
  return { commit: commitUnderTest(), date: new Date().toISOString().slice(0, 10) };
}

function write(records: Records): void {
  writeFileSync(RECORDS_FILE, `${JSON.stringify(Records.parse(records), null, 2)}\n`);
  writeFileSync(PAGE_FILE, pageOf(records));
}

export function readRecords(): Records {
  return Records.parse(existsSync(RECORDS_FILE) ? JSON.parse(readFileSync(RECORDS_FILE, "utf8")) : {});
}

/** What was recorded before is no change of the code. */
const RECORDED = ["docs/reliability.json", "docs/reliability.md"];

function commitUnderTest(): string {
  const git = (...args: string[]) => execFileSync("git", args, { cwd: PROJECT, encoding: "utf8" }).trim();
  const changed = git("status", "--porcelain", "--", ".", ...RECORDED.map((file) => `:!${file}`));
  if (changed !== "")
    throw new Error(`Commit first, so that the record names what was searched:\n${changed}`);
  return git("rev-parse", "--short", "HEAD");
}
