import type { BatchCall, Result } from "../batches.ts";
import type { StoryOutcome } from "../outcome.ts";
import type { Invariant } from "./invariant.ts";

/** The responses to batches that were read as a whole. */
function responded({ batches }: StoryOutcome): { readonly batch: BatchCall; readonly results: Result[] }[] {
  return batches.flatMap((batch) => {
    const { status, body } = batch.response ?? {};
    return status === 200 ? [{ batch, results: (body as { results: Result[] }).results }] : [];
  });
}

export const resultsAreOfTheirRows: Invariant = {
  sentence:
    "The response to a batch has a result for each row, in the order sent, and refuses only invalid rows.",
  *violations(outcome) {
    for (const { step, response } of outcome.batches) {
      if (response && response.status !== 200 && response.status < 500)
        yield `step ${step.number} got ${response.status} for the whole batch`;
    }
    for (const { batch, results } of responded(outcome)) {
      const { rows, step } = batch;
      if (results.length !== rows.length)
        yield `step ${step.number} sent ${rows.length} rows, and got ${results.length} results`;
      for (const [index, { operation }] of rows.entries()) {
        const person = outcome.story.people[operation.person];
        const { externalId, status, stagedId } = results[index] ?? {};
        if (!person || externalId !== person.externalId)
          yield `row ${index} of step ${step.number} got a result of another candidate`;
        if (status === 201 && person && stagedId !== outcome.handleOf(person))
          yield `row ${index} of step ${step.number} got the handle of another candidate`;
        if ((status === 400) !== (operation.isInvalid === true))
          yield `row ${index} of step ${step.number} got ${status}`;
      }
    }
  },
};

export const firstRowIsCreated: Invariant = {
  sentence:
    "If a batch has several rows for one candidate, all acknowledged rows except the first are replays.",
  *violations(outcome) {
    for (const { batch, results } of responded(outcome)) {
      const seen = new Map<string, Result>();
      for (const result of results) {
        if (result.status !== 201 || !result.stagedId) continue;
        const before = seen.get(result.stagedId);
        // A candidate that was erased in between is created again, at another time.
        if (before && !result.replayed && before.receivedAt === result.receivedAt)
          yield `step ${batch.step.number} got two results that say that it created ${result.stagedId}`;
        seen.set(result.stagedId, result);
      }
    }
  },
};
