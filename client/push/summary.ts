import { duration } from "./progress.ts";
import { dealtWith, type Tally } from "./tally.ts";

interface PushOutcome {
  readonly tally: Tally;
  /** The number of rows refused by this run and earlier ones. */
  readonly refused: number;
  readonly refusedFile: string;
  readonly seconds: number;
  /** How to continue, if not every row is done. */
  readonly goOn: "again" | "afresh" | undefined;
}

const GO_ON = {
  again: "Run the same command again to push what is left.",
  afresh: "Standard input cannot be resumed. Push it again: existing candidates stay unchanged.",
};

/** The final report of a push, for users. */
export function summary({ tally, refused, refusedFile, seconds, goOn }: PushOutcome): string {
  const outcomes = [
    [tally.skipped - (refused - tally.refused), "done earlier"],
    [tally.valid, "valid"],
    [tally.created, "created"],
    [tally.amended, "amended"],
    [tally.unchanged, "already existed"],
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
  if (tally.unchanged > 0) lines.push("Existing candidates were left unchanged. Add --sync to amend them.");
  if (refused + tally.failed > 0) lines.push(`Reasons for each row: ${refusedFile}`);
  if (goOn) lines.push(GO_ON[goOn]);
  return `${lines.join("\n")}\n`;
}
