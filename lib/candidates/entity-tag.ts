import type { Candidate } from "#candidates/candidate";
import { InvalidRequest } from "#contract/errors";

// DynamoDB's IN takes 100 operands. No client needs more versions of one record.
const VERSIONS = 100;

/** A record's version as a strong entity tag (RFC 9110 section 8.8.3): its `updatedAt` never repeats. */
export function entityTagOf(candidate: Candidate): string {
  return `"${candidate.state.updatedAt}"`;
}

/**
 * The versions listed in an `If-Match` header; undefined if it is absent or `*`. A header that lists none matches
 * nothing. A weak tag counts as the strong one, although RFC 9110 section 13.1.1 requires strong comparison:
 * proxies that compress responses weaken the tag of an unchanged record.
 *
 * @throws InvalidRequest if the header lists more than a hundred
 */
export function versionsOf(ifMatch: string | undefined): readonly string[] | undefined {
  if (ifMatch === undefined || ifMatch.trim() === "*") return undefined;
  const tags = [...ifMatch.matchAll(/(?<=^|,)\s*(?:W\/)?"([^"]*)"\s*(?=,|$)/g)];
  if (tags.length > VERSIONS) throw new InvalidRequest(`If-Match: at most ${VERSIONS} tags are expected`);
  return tags.length > 0 ? tags.map(([, version = ""]) => version) : [""];
}
