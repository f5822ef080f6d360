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

/** What has become of one row. */
export type Outcome =
  | { readonly kind: "created" | "unchanged" | "amended" | "valid" }
  | { readonly kind: "refused"; readonly refusal: Refusal }
  /** The service failed at this row: nothing is wrong with it. */
  | { readonly kind: "failed"; readonly refusal: Refusal };

/** What is done with each row. */
export type Submit = (row: Row) => Promise<Outcome>;

/** Refuses what the service would refuse, by the same schema and in the same words. */
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

/** The members that an amend takes of a row, but for the consent: see {@link amendmentOf}. */
const AMENDED_MEMBERS = Object.keys(CandidateAmendment.shape).filter((name) => name !== "consentGiven");

/**
 * The members of a submission that an amend takes. `consentGiven` is not among them: every submission says
 * true, and would give back the consent that a candidate has withdrawn since.
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

/** Creates the candidate of each row, or amends the one that is there. */
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

/** What the service refuses a row with, for what the row holds. */
const REFUSING_STATUS = new Set([400, 404, 409, 412, 413, 415, 422]);

/** @throws CommandError when every other row would fare the same */
function outcomeOf(error: CandidateServiceError): Outcome {
  const { code, status = 0, message: reason, requestId } = error;
  const refusal = { code, reason, requestId };
  if (REFUSING_STATUS.has(status) && code !== "unexpected_answer") return { kind: "refused", refusal };
  if (status === 500) return { kind: "failed", refusal };
  throw new CommandError(requestId ? `${code}: ${reason} (request ${requestId})` : `${code}: ${reason}`, {
    cause: error,
  });
}
