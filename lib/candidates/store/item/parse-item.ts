import type { CandidateItem } from "#candidates/store/item/candidate-item";

/**
 * Parses a candidate's item as returned by DynamoDB, whether from a get, a write, a failed condition or the stream.
 * A projection has only the attributes requested.
 *
 * @throws Error if it is not a candidate's item: each of those has a status, tombstones included
 */
export function parseCandidateItem(attributes: Readonly<Record<string, unknown>>): CandidateItem {
  if (typeof attributes["status"] !== "string") throw new Error("The item of a candidate has no status.");
  return attributes as CandidateItem;
}
