import {
  BatchEntryIdsNotDistinct,
  EmptyBatchRequest,
  InvalidBatchEntryId,
  SqsError,
  TooManyEntriesInBatchRequest,
} from "./errors.ts";

/** Amazon SQS message quotas, "Message batch" and "Batched message ID". */
const MOST_ENTRIES = 10;
const ENTRY_ID = /^[\w-]{1,80}$/;

interface Entry {
  readonly Id: string;
}

/**
 * Performs an action for each entry of a batch. A failed entry is reported and does not affect the others.
 *
 * @throws errors of the batch as a whole, before any entry is performed
 */
export function performBatch<Result extends object>(
  entries: readonly Entry[],
  perform: (entry: Entry) => Result,
) {
  checkEntries(entries);
  const outcomes = entries.map((entry) => outcomeOf(entry, perform));
  return {
    Successful: outcomes.flatMap((outcome) => ("successful" in outcome ? [outcome.successful] : [])),
    Failed: outcomes.flatMap((outcome) => ("failed" in outcome ? [outcome.failed] : [])),
  };
}

function outcomeOf<Result extends object>(entry: Entry, perform: (entry: Entry) => Result) {
  const { Id } = entry;
  try {
    return { successful: { Id, ...perform(entry) } };
  } catch (error) {
    if (!(error instanceof SqsError)) throw error;
    return { failed: { Id, SenderFault: true, Code: error.code, Message: error.message } };
  }
}

function checkEntries(entries: readonly Entry[]): void {
  if (entries.length === 0) throw new EmptyBatchRequest();
  if (entries.length > MOST_ENTRIES) throw new TooManyEntriesInBatchRequest(MOST_ENTRIES);
  if (!entries.every(({ Id }) => ENTRY_ID.test(Id))) throw new InvalidBatchEntryId();
  if (new Set(entries.map(({ Id }) => Id)).size < entries.length) throw new BatchEntryIdsNotDistinct();
}
