import { createHmac } from "node:crypto";
import type { CandidateState } from "#candidates/candidate";
import { NotFound } from "#contract/errors";
import { base32, idPattern } from "#contract/identifiers";
import type { Organisation } from "#contract/organisation";

/** 128 bits: collisions within one table are negligible at any number of candidates. */
const DIGEST_BYTES = 16;
const HANDLE = idPattern("(staged|cand)");

/** The `{id}` of a path: a `stagedId`, which is always valid, or a canonical id, valid after promotion. */
export interface Handle {
  readonly kind: "staged" | "canonical";
  readonly digest: string;
}

/**
 * The part that a candidate's handles share. It is derived from the `externalId`, so handles need no lookup table:
 * 26 characters of Crockford base 32 over the first 128 bits of HMAC-SHA-256 (RFC 2104) of `externalId`.
 * Without the organisation's key nobody can compute it, even from a correctly guessed `externalId`.
 *
 * @internal Exported for tests.
 */
export function digestOf({ handleKey }: Organisation, externalId: string): string {
  const hash = createHmac("sha256", handleKey).update(externalId, "utf8").digest();
  return base32(hash.subarray(0, DIGEST_BYTES));
}

/** The staged handle of the candidate with this `externalId`. It is always valid. */
export function handleOf(organisation: Organisation, externalId: string): Handle {
  return { kind: "staged", digest: digestOf(organisation, externalId) };
}

export function stagedIdOf(digest: string): string {
  return `staged_${digest}`;
}

export function canonicalIdOf(digest: string): string {
  return `cand_${digest}`;
}

/** Both handles of a candidate; the canonical id is null before promotion. */
export function handlesOf(digest: string, { promotedAt }: Pick<CandidateState, "promotedAt">) {
  return { stagedId: stagedIdOf(digest), id: promotedAt ? canonicalIdOf(digest) : null };
}

/**
 * Parses the `{id}` sent by a caller.
 *
 * @throws NotFound if it is not a valid handle: the same response as for a candidate that never existed
 */
export function parseHandle(id: string): Handle {
  const [, prefix, digest] = HANDLE.exec(id) ?? [];
  if (digest === undefined) throw noSuchCandidate();
  return { kind: prefix === "cand" ? "canonical" : "staged", digest };
}

export function noSuchCandidate(): NotFound {
  return new NotFound("No candidate of your organisation has this handle or externalId. Check it.");
}
