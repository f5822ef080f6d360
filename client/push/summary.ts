import { duration } from "../terminal/duration.ts";
import type { Correction } from "../terminal/errors.ts";
import { printable } from "../terminal/printable.ts";
import { rowsInWords } from "./row.ts";
import { processedRows, type Tally } from "./tally.ts";

interface PushOutcome {
  readonly tally: Tally;
  /** Sentences about the file. */
  readonly notes: readonly string[];
  /** The number of rows refused by this run and earlier ones. */
  readonly refused: number;
  readonly refusedFile: string;
  /** Some reasons of this run. */
  readonly firstReasons: readonly string[];
  /** How many identifiers were compared to find repeated ones, if it was not all of them. */
  readonly compared: number | undefined;
  readonly mode: "create" | "update" | "dry run";
  readonly seconds: number;
  /** How to continue, if not every row is done. */
  readonly goOn: keyof typeof GO_ON | undefined;
}

/** No read returns `email`, which every row has, so no candidate is compared as a whole. */
const UP_TO_DATE = "already up to date as far as compared";

const GO_ON = {
  again: "Run the same command again to push the remaining rows.",
  afresh: "Standard input cannot be resumed. Push it again: no candidate is created twice.",
  key: "Set a valid key of this environment with CANDIDATES_API_KEY or --key, then run the command again.",
  address: "Set the address of the environment with CANDIDATES_URL or --url, then run the command again.",
  file: "Correct the file, then run the command again.",
  output: "Make sure that the file can be written, then run the command again to push the remaining rows.",
} satisfies Record<Correction | "again" | "afresh", string>;

/** The final report of a push, for users. */
export function summary(outcome: PushOutcome): string {
  const { tally, notes, refused, refusedFile, firstReasons, compared, mode, seconds, goOn } = outcome;
  const outcomes = [
    [tally.skipped - tally.skippedRefused, "done earlier"],
    [tally.valid, "valid"],
    [tally.created, "created"],
    [tally.amended, "amended"],
    [tally.unchanged, mode === "update" ? UP_TO_DATE : "already existed"],
    [tally.kept, "not changed"],
    [tally.refused + tally.skippedRefused, "refused"],
    [tally.failed, "failed"],
  ] as const;
  const counts = outcomes
    .filter(([rows]) => rows > 0)
    .map(([rows, what]) => `${rows.toLocaleString("en")} ${what}`);
  const rows = processedRows(tally) + tally.skipped;
  const time = seconds < 1 ? "under 1 s" : duration(seconds);
  const lines = rows > 0 ? [`${rowsInWords(rows)} in ${time}: ${counts.join(", ")}.`] : [];
  if (mode === "dry run") lines.push("Nothing was sent.");
  lines.push(...notes);
  if (mode === "create" && tally.unchanged > 0) {
    lines.push("Existing candidates were left unchanged. Add --update to amend those that differ.");
  }
  if (tally.differing.size > 0) {
    lines.push(
      `An update cannot change these members, which differ from the rows: ${membersInWords(tally.differing)}.`,
    );
  }
  if (tally.uncompared.size > 0) {
    lines.push(
      `These members of existing candidates were neither compared nor changed, because reads do not return them and an update cannot change them: ${membersInWords(tally.uncompared)}.`,
    );
  }
  lines.push(...firstReasons.map((reason) => `  ${reason}`));
  if (refused + tally.failed > 0) lines.push(`Reasons for each row: ${refusedFile}`);
  if (compared !== undefined) {
    lines.push(
      `Only the first ${rowsInWords(compared)} were compared with later ones to find a repeated externalId.`,
    );
  }
  if (goOn) lines.push(GO_ON[goOn]);
  return `${lines.map(printable).join("\n")}\n`;
}

/** Each member with its number of rows. */
function membersInWords(members: ReadonlyMap<string, number>): string {
  return [...members]
    .sort()
    .map(([name, rows]) => `${name} (${rowsInWords(rows)})`)
    .join(", ");
}
