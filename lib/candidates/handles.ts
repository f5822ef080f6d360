import { createHmac } from "node:crypto";
import { base32crockford } from "@scure/base";
import type { CandidateState } from "#candidates/candidate";
import { NotFound } from "#contract/errors";
import type { Organisation } from "#contract/organisation";

/** 128 bits: a collision within one table stays out of reach at any number of candidates. */
const DIGEST_BYTES = 16;
// Crockford base 32 in lower case: the digits and the letters but i, l, o and u.
const HANDLE = /^(staged|cand)_([0-9a-hjkmnp-tv-z]{26})$/;

/** What a path's `{id}` names: a `stagedId`, valid always, or a canonical id, valid once promoted. */
export interface Handle {
  readonly kind: "staged" | "canonical";
  readonly digest: string;
}

/**
 * The part that a candidate's handles share, derived from what identifies it, so that no handle is ever
 * looked up: 26 characters of Crockford base 32 over the first 128 bits of HMAC-SHA-256 (RFC 2104) of `externalId`.
 * Without the organisation's key nobody can compute it, however well an `externalId` is guessed.
 *
 * @internal Exported for tests.
 */
export function digestOf({ handleKey }: Organisation, externalId: string): string {
  const hash = createHmac("sha256", handleKey).update(externalId, "utf8").digest();
  return base32crockford.encode(hash.subarray(0, DIGEST_BYTES)).toLowerCase();
}

/** The handle, valid always, of the candidate that an organisation knows by its own identifier. */
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
 * The handle that a caller's `{id}` spells.
 *
 * @throws NotFound when it has the form of none: the same answer as for one that never existed
 */
export function parseHandle(id: string): Handle {
  const [, prefix, digest] = HANDLE.exec(id) ?? [];
  if (digest === undefined) throw noSuchCandidate();
  return { kind: prefix === "cand" ? "canonical" : "staged", digest };
}

export function noSuchCandidate(): NotFound {
  return new NotFound("No candidate of your organisation has this handle or externalId.");
}
