import type { CandidateItem } from "#candidates/store/item/candidate-item";

/**
 * A candidate's item as DynamoDB returned it. Each one passes here, whatever read it: a get, a write, a refusal or the
 * stream. A projection has the attributes that it names.
 *
 * @throws Error when it is not a candidate's: every candidate's has a status, a tombstone too
 */
export function parseCandidateItem(attributes: Readonly<Record<string, unknown>>): CandidateItem {
  if (typeof attributes["status"] !== "string") throw new Error("The item of a candidate has no status.");
  return attributes as CandidateItem;
}
