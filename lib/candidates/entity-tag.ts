import type { Candidate } from "#candidates/candidate";

// DynamoDB's IN takes 100 operands; nobody holds that many versions of one record.
const VERSIONS = 100;

/** A record's version as a strong entity tag (RFC 9110 section 8.8.3): its `updatedAt` never repeats. */
export function entityTagOf(candidate: Candidate): string {
  return `"${candidate.state.updatedAt}"`;
}

/**
 * The versions that an `If-Match` header names, or undefined when it is absent or `*`; a header that names
 * none matches nothing. A weak tag names the same version as the strong one, where RFC 9110 section 13.1.1
 * compares strongly: a proxy that compresses responses weakens the tag of a record that it has not changed.
 */
export function versionsOf(ifMatch: string | undefined): readonly string[] | undefined {
  if (ifMatch === undefined || ifMatch.trim() === "*") return undefined;
  const tags = [...ifMatch.matchAll(/(?<=^|,)\s*(?:W\/)?"([^"]*)"\s*(?=,|$)/g)].slice(0, VERSIONS);
  return tags.length > 0 ? tags.map(([, version = ""]) => version) : [""];
}
