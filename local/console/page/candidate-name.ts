import type { CandidateView } from "../page-data.ts";

/**
 * An `externalId` as shown: in quotation marks if it would not be visible, such as a space. Characters that the page
 * would show as a space, such as a line break, or that change the direction of the text around them, are replaced.
 */
export function externalIdText(externalId: string): string {
  const shown = externalId.replace(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu, "\u{fffd}");
  return /[^\p{Z}\p{C}]/u.test(shown) ? shown : `"${shown}"`;
}

/** The name of a candidate: its `externalId`, or its `stagedId` after erasure. */
export function candidateName({
  externalId,
  stagedId,
}: Pick<CandidateView, "externalId" | "stagedId">): string {
  return externalId === null ? stagedId : externalIdText(externalId);
}
