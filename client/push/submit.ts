import { CandidateAmendment, CandidateSubmission } from "../../lib/contract/candidate-submission.ts";
import { describeProblems } from "../../lib/contract/problems.ts";
import {
  type CandidateServiceClient,
  CandidateServiceError,
  type CandidateSubmission as Submission,
} from "../src/index.ts";
import { CommandError } from "./errors.ts";
import type { Refusal } from "./refused-file.ts";
import type { Row } from "./row.ts";

/** The outcome of one row. */
export type Outcome =
  | { readonly kind: "created" | "unchanged" | "amended" | "valid" }
  | { readonly kind: "refused"; readonly refusal: Refusal }
  /** The service failed; the row itself may be valid. */
  | { readonly kind: "failed"; readonly refusal: Refusal };

/** The action for each row. */
export type Submit = (row: Row) => Promise<Outcome>;

/** Validates a row with the service's own schema, and refuses it with the same message. */
function invalidity({ value, problem }: Row): Refusal | undefined {
  if (problem) return { code: "invalid_request", reason: problem };
  const parsed = CandidateSubmission.safeParse(value);
  if (parsed.success) return undefined;
  return { code: "invalid_request", reason: describeProblems(parsed.error.issues, value, "row") };
}

export const validateOnly: Submit = async (row) => {
  const refusal = invalidity(row);
  return refusal ? { kind: "refused", refusal } : { kind: "valid" };
};

/** The members of a row that an amend accepts, except consent: see {@link amendmentOf}. */
const AMENDED_MEMBERS = Object.keys(CandidateAmendment.shape).filter((name) => name !== "consentGiven");

/**
 * The members of a submission that an amend accepts. `consentGiven` is left out: it is true in every submission, and
 * would restore consent that a candidate has withdrawn since.
 */
function amendmentOf(submission: object): CandidateAmendment {
  return Object.fromEntries(Object.entries(submission).filter(([name]) => AMENDED_MEMBERS.includes(name)));
}

/** Creates the candidate of each row. */
export function createThrough(client: CandidateServiceClient): Submit {
  return submitting(async (submission) => {
    const { replayed } = await client.createCandidate(submission);
    return replayed ? "unchanged" : "created";
  });
}

/** Creates the candidate of each row, or amends it if it exists. */
export function syncThrough(client: CandidateServiceClient): Submit {
  return submitting(async (submission) => {
    const { stagedId, replayed } = await client.createCandidate(submission);
    if (!replayed) return "created";
    await client.amendCandidate(stagedId, amendmentOf(submission));
    return "amended";
  });
}

function submitting(send: (submission: Submission) => Promise<"created" | "unchanged" | "amended">): Submit {
  return async (row) => {
    const refusal = invalidity(row);
    if (refusal) return { kind: "refused", refusal };
    try {
      return { kind: await send(row.value as Submission) };
    } catch (error) {
      if (!(error instanceof CandidateServiceError)) throw error;
      return outcomeOf(error);
    }
  };
}

/** The status codes with which the service refuses a row because of its content. */
const REFUSING_STATUS = new Set([400, 404, 409, 412, 413, 415, 422]);

/** @throws CommandError if every other row would fail the same way */
function outcomeOf(error: CandidateServiceError): Outcome {
  const { code, status = 0, message: reason, requestId } = error;
  const refusal = { code, reason, requestId };
  if (REFUSING_STATUS.has(status) && code !== "unexpected_answer") return { kind: "refused", refusal };
  if (status === 500) return { kind: "failed", refusal };
  throw new CommandError(requestId ? `${code}: ${reason} (request ${requestId})` : `${code}: ${reason}`, {
    cause: error,
  });
}
