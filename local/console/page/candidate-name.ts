import type { CandidateView } from "../page-data.ts";

/** An `externalId` as shown: in quotation marks if it would not be visible, such as a space. */
export function externalIdText(externalId: string): string {
  return /[^\p{Z}\p{C}]/u.test(externalId) ? externalId : `"${externalId}"`;
}

/** The name of a candidate: its `externalId`, or its `stagedId` after erasure. */
export function candidateName({
  externalId,
  stagedId,
}: Pick<CandidateView, "externalId" | "stagedId">): string {
  return externalId === null ? stagedId : externalIdText(externalId);
}
