import { CommandError } from "./errors.ts";
import type { Journal } from "./journal.ts";
import type { Pacer } from "./pacer.ts";
import type { RefusedFile } from "./refused-file.ts";
import type { Row } from "./row.ts";
import type { Outcome, Submit } from "./submit.ts";
import type { Tally } from "./tally.ts";

/** So many rows at which the service failed one after the other are a failure of the service. */
const FAILURES_IN_A_ROW = 10;

interface Push {
  readonly rows: AsyncGenerator<Row>;
  readonly submit: Submit;
  /** How many rows are under way at once. */
  readonly concurrency: number;
  /** What is done already and need not be done again; none where rows cannot be recognised. */
  readonly journal: Journal | undefined;
  readonly refusedFile: RefusedFile;
  readonly pacer: Pacer;
  readonly tally: Tally;
  /** Aborted when no further row is to begin; those under way are finished. */
  readonly stop: AbortSignal;
}

/**
 * Takes the rows one after the other, a bounded number at a time, so that memory stays flat however many
 * there are.
 *
 * @throws CommandError when it cannot go on
 */
export async function push(options: Push): Promise<void> {
  const { rows, submit, concurrency, journal, pacer, tally, stop } = options;
  let failures = 0;

  const deal = async (row: Row) => {
    if (journal?.done.has(row.number)) {
      tally.skipped += 1;
      tally.skippedPosition = Math.max(tally.skippedPosition, row.position);
    } else {
      const outcome = await submit(row);
      note(options, row, outcome);
      failures = outcome.kind === "failed" ? failures + 1 : 0;
      if (failures >= FAILURES_IN_A_ROW && outcome.kind === "failed") {
        throw new CommandError(`The service fails at every row: ${outcome.refusal.reason}`);
      }
    }
    tally.position = Math.max(tally.position, row.position);
  };

  let problem: unknown;
  const lane = async () => {
    while (!stop.aborted && problem === undefined) {
      await pacer.ready(stop);
      if (stop.aborted || problem !== undefined) return;
      const { done, value: row } = await rows.next();
      if (done) return;
      await deal(row);
    }
  };
  // A lane that fails ends the others too, each after the row that it has under way.
  await Promise.all(
    Array.from({ length: concurrency }, () =>
      lane().catch((error: unknown) => {
        problem ??= error;
      }),
    ),
  );
  await rows.return(undefined);
  if (problem !== undefined) throw problem;
}

function note({ journal, refusedFile, tally }: Push, row: Row, outcome: Outcome): void {
  tally[outcome.kind] += 1;
  if (outcome.kind === "refused" || outcome.kind === "failed") refusedFile.add(row, outcome.refusal);
  // A row that the service failed at is for the next run.
  if (outcome.kind !== "failed") journal?.note(row.number, outcome.kind === "refused" ? "refused" : "done");
}
