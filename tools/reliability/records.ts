import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";

/** `tools/reliability/reliability.json`, which {@link Records} describes. */
export const RECORDS_FILE = join(import.meta.dirname, "reliability.json");

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
  /** By Schemathesis: a run ends at the first response that is a 5xx or differs from the description. */
  generatedRequests: z.object({ ...ran, requests: count }).optional(),
  /** By source file: hours pass between the first and the last. */
  mutants: z.record(z.string(), z.object({ ...ran, killed: count, mutants: count })).optional(),
});
export type Records = z.infer<typeof Records>;

export function readRecords(): Records {
  return Records.parse(existsSync(RECORDS_FILE) ? JSON.parse(readFileSync(RECORDS_FILE, "utf8")) : {});
}
