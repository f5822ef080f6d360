import { isDeepStrictEqual } from "node:util";
import { CandidateRecord, SharedDocumentType } from "../../lib/contract/candidate-record.ts";
import { CandidateAmendment, CandidateSubmission } from "../../lib/contract/candidate-submission.ts";
import type { CandidateServiceClient } from "../src/index.ts";
import { type CreateRows, isNew, type RowCreatorOptions } from "./create-rows.ts";
import { type Outcome, outcomeOf, type Submit } from "./outcome.ts";

/** The members that an amend accepts, except consent: see {@link amendmentOf}. */
const AMENDED = Object.keys(CandidateAmendment.shape).filter((name) => name !== "consentGiven");

/** The members that only a create sets, and that reads return, except the one by which the candidate was found. */
const SET_ONCE = Object.keys(CandidateSubmission.shape).filter(
  (name) => name in CandidateRecord.shape && !(name in CandidateAmendment.shape) && name !== "externalId",
);

/**
 * The members that only a create sets, and that no read returns. `consentGiven` is none of them: a candidate that can
 * be read or amended has given consent, as every row says.
 */
const HIDDEN = Object.keys(CandidateSubmission.shape).filter(
  (name) => !(name in CandidateRecord.shape) && !(name in CandidateAmendment.shape),
);

/**
 * Creates the candidate of each row, or amends it if it exists and differs from the row. One that the push may have
 * created itself is compared too, because it may be another program's.
 */
export function createOrAmend(
  { client, pacer }: Pick<RowCreatorOptions, "client" | "pacer">,
  create: CreateRows,
  begunAt: Date,
): Submit {
  return async function* (rows, stop) {
    let problem: unknown;
    for await (const creation of create(rows, stop)) {
      const { row } = creation;
      if ("outcome" in creation) yield creation;
      else if (!creation.replayed) yield { row, outcome: { kind: "created" } };
      else if (problem === undefined) {
        await pacer.ready(stop);
        // After an interruption the next run finds the candidate again.
        if (stop.aborted) continue;
        try {
          const outcome = await update(client, creation.stagedId, row.value as CandidateSubmission);
          const isCreated = outcome.kind === "unchanged" && isNew(creation, begunAt);
          yield { row, outcome: isCreated ? { kind: "created" } : outcome };
        } catch (error) {
          // It ends the push, but not before the created rows of the batch are counted.
          problem = error;
        }
      }
    }
    if (problem !== undefined) throw problem;
  };
}

/** One request if the record cannot tell whether the row differs; otherwise one to compare, and one if it differs. */
async function update(
  client: CandidateServiceClient,
  stagedId: string,
  submission: CandidateSubmission,
): Promise<Outcome> {
  const amendment = amendmentOf(submission);
  try {
    const read = isReadable(amendment) ? await client.getCandidate(stagedId) : undefined;
    // With the defaults of nested members, as the record has them.
    const isHeld = read && differingIn(read, CandidateAmendment.parse(amendment)).length === 0;
    const record = isHeld ? read : await client.amendCandidate(stagedId, amendment);
    const differing = differingIn(record, membersOf(submission, SET_ONCE));
    const uncompared = Object.keys(membersOf(submission, HIDDEN));
    if (!isHeld) return { kind: "amended", differing, uncompared };
    return { kind: differing.length > 0 ? "kept" : "unchanged", differing, uncompared };
  } catch (error) {
    return withRemedy(outcomeOf(error), stagedId);
  }
}

/** The service advises to amend the candidate with consent, which this command does not do. */
function withRemedy(outcome: Outcome, stagedId: string): Outcome {
  if (outcome.kind !== "refused" || outcome.refusal.code !== "consent_revoked") return outcome;
  const remedy = `--update does not send consentGiven: if the person has agreed again, send PUT /v1/candidates/${stagedId} with consentGiven true, then push the row again.`;
  return { ...outcome, refusal: { ...outcome.refusal, reason: `${outcome.refusal.reason} ${remedy}` } };
}

/**
 * The members of a row that an amend accepts, as they are: null empties a member, a list replaces the whole list, and
 * what the row omits is kept. `consentGiven` is left out: it is true in every row, and would restore consent that a
 * candidate has withdrawn since.
 */
function amendmentOf(submission: CandidateSubmission): CandidateAmendment {
  return membersOf(submission, AMENDED);
}

function membersOf(submission: CandidateSubmission, names: readonly string[]) {
  return Object.fromEntries(Object.entries(submission).filter(([name]) => names.includes(name)));
}

/** Whether a read returns every member of the amendment, so that the two can be compared. */
function isReadable({ documents, ...members }: CandidateAmendment): boolean {
  // An empty list removes the sensitive documents too, which no read returns.
  const isShared = ({ documentType }: { readonly documentType: string }) =>
    SharedDocumentType.safeParse(documentType).success;
  return (
    Object.keys(members).every((name) => name in CandidateRecord.shape) &&
    (documents === undefined || (documents.length > 0 && documents.every(isShared)))
  );
}

/** The names of the members that a record holds with another value. */
function differingIn(record: object, members: object): string[] {
  const held = new Map<string, unknown>(Object.entries(record));
  return Object.entries(members)
    .filter(([name, member]) => !isDeepStrictEqual(withoutNull(member), withoutNull(held.get(name))))
    .map(([name]) => name);
}

/** Reads show a member of an object that is not set as null, or not at all. */
function withoutNull(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNull);
  if (typeof value !== "object") return value;
  const members = Object.entries(value ?? {}).filter(([, member]) => member !== null && member !== undefined);
  return Object.fromEntries(members.map(([name, member]) => [name, withoutNull(member)]));
}
