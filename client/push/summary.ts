import { duration } from "./progress.ts";
import { dealtWith, type Tally } from "./tally.ts";

interface Ending {
  readonly tally: Tally;
  /** How many rows were refused, by this run and by those before it. */
  readonly refused: number;
  readonly refusedFile: string;
  readonly seconds: number;
  /** How to go on, where not every row is dealt with. */
  readonly goOn: "again" | "afresh" | undefined;
}

const GO_ON = {
  again: "Run the same command again to push what is left.",
  afresh: "Standard input cannot be resumed: push it again, and what is there already stays as it is.",
};

/** What a push ends with, for people. */
export function summary({ tally, refused, refusedFile, seconds, goOn }: Ending): string {
  const outcomes = [
    [tally.skipped - (refused - tally.refused), "done before"],
    [tally.valid, "valid"],
    [tally.created, "created"],
    [tally.amended, "amended"],
    [tally.unchanged, "there already"],
    [refused, "refused"],
    [tally.failed, "failed"],
  ] as const;
  const told = outcomes
    .filter(([rows]) => rows > 0)
    .map(([rows, what]) => `${rows.toLocaleString("en")} ${what}`);
  const rows = dealtWith(tally) + tally.skipped;
  const lines = [
    `${rows.toLocaleString("en")} ${rows === 1 ? "row" : "rows"} in ${duration(seconds)}${told.length > 0 ? ": " : ""}${told.join(", ")}.`,
  ];
  if (tally.unchanged > 0) lines.push("What was there already is as it was: --sync amends it.");
  if (refused + tally.failed > 0) lines.push(`Why, row by row: ${refusedFile}`);
  if (goOn) lines.push(GO_ON[goOn]);
  return `${lines.join("\n")}\n`;
}
