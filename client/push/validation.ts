import { CandidateSubmission } from "../../lib/contract/candidate-submission.ts";
import { describeProblems } from "../../lib/contract/problems.ts";
import type { Refusal } from "./refused-file.ts";
import { externalIdOf, type Row, type RowUnit } from "./row.ts";
import type { SeenIdentifiers } from "./seen-identifiers.ts";

/** Why a row is refused before it is sent; undefined if it is not. */
export type Check = (row: Row) => Refusal | undefined;

/** Refuses rows with the service's own schema and messages. */
export const checkMembers: Check = ({ value, problem }) => {
  if (problem !== undefined) return invalid(problem);
  const parsed = CandidateSubmission.safeParse(value);
  return parsed.success ? undefined : invalid(describeProblems(parsed.error.issues, value, "row"));
};

/** Refuses rows whose `externalId` an earlier row of the file has: each row must be checked, in order. */
export function checkRepetition(seen: SeenIdentifiers, unit: RowUnit): Check {
  return ({ number, value }) => {
    const externalId = externalIdOf(value);
    if (externalId === undefined) return undefined;
    const first = seen.firstRowOf(externalId, number);
    if (first === number) return undefined;
    return invalid(
      `externalId: ${unit}s ${first} and ${number} have the same externalId; give each candidate one row`,
    );
  };
}

function invalid(reason: string): Refusal {
  return { code: "invalid_request", reason };
}
