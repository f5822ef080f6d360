import { CommandError } from "./errors.ts";
import type { Journal } from "./journal.ts";
import type { Pacer } from "./pacer.ts";
import type { RefusedFile } from "./refused-file.ts";
import type { Row } from "./row.ts";
import type { Outcome, Submit } from "./submit.ts";
import type { Tally } from "./tally.ts";

/** The number of consecutive rows that must fail for the push to stop. */
const FAILURES_IN_A_ROW = 10;

interface Push {
  readonly rows: AsyncGenerator<Row>;
  readonly submit: Submit;
  /** The number of rows pushed in parallel. */
  readonly concurrency: number;
  /** The rows already done. Absent if rows cannot be identified across runs. */
  readonly journal: Journal | undefined;
  readonly refusedFile: RefusedFile;
  readonly pacer: Pacer;
  readonly tally: Tally;
  /** Aborted to start no further rows. Rows in progress are finished. */
  readonly stop: AbortSignal;
}

/**
 * Pushes the rows in order, with a limited number in parallel, so that memory use stays constant for any number of
 * rows.
 *
 * @throws CommandError if the push cannot continue
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
        throw new CommandError(`The service fails for every row: ${outcome.refusal.reason}`);
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
  // If one lane fails, the others end too, each after the row that it is working on.
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
  // A row for which the service failed is left to the next run.
  if (outcome.kind !== "failed") journal?.note(row.number, outcome.kind === "refused" ? "refused" : "done");
}
