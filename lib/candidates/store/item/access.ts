import { PLATFORM_ASSESSMENTS } from "#candidates/assessments";
import { isSensitiveAttribute, SHARED_DOCUMENTS } from "#candidates/documents";
import { type Handle, noSuchCandidate } from "#candidates/handles";
import { assertKnownStatus, isReadable } from "#candidates/lifecycle";
import { REJECTIONS } from "#candidates/rejections";
import { type CandidateItem, isShown } from "#candidates/store/item/candidate-item";
import { assertKnownVersion } from "#candidates/store/item/item-version";
import { ConsentRevoked } from "#contract/errors";

/** Returns an item to callers who may see it, and throws the error that others receive. */
export type Access = (item: CandidateItem | undefined, handle: Handle) => CandidateItem;

/**
 * For the platform: any item, if the handle is valid for it. A canonical id is valid after promotion.
 *
 * @throws NotFound if there is none
 */
const known: Access = (item, handle) => {
  if (!item || (handle.kind === "canonical" && !item.promotedAt)) throw noSuchCandidate();
  assertKnownVersion(item);
  assertKnownStatus(item.status);
  return item;
};

/**
 * For integrators: an erased candidate is treated as if it never existed.
 *
 * @throws NotFound
 */
export const existing: Access = (item, handle) => {
  const candidate = known(item, handle);
  if (candidate.status === "erased") throw noSuchCandidate();
  return candidate;
};

/**
 * For integrators: requires consent.
 *
 * @throws NotFound, ConsentRevoked
 */
export const readable: Access = (item, handle) => {
  const candidate = existing(item, handle);
  if (!isReadable(candidate.status)) throw new ConsentRevoked();
  return candidate;
};

/** The caller for whom a candidate is read. */
export interface Audience {
  readonly access: Access;
  /** Whether to read an attribute that is stored in parts. */
  reads(attribute: string): boolean;
}

/** Integrators see the safe projection. */
export const integrators: Audience = { access: readable, reads: isShown };

/** The platform, changing a candidate: reads the attributes that the decision needs. */
export function platform(attributes: readonly string[]): Audience {
  return { access: known, reads: (attribute) => attributes.includes(attribute) };
}

const INSPECTED: readonly string[] = ["assessments", PLATFORM_ASSESSMENTS, SHARED_DOCUMENTS, REJECTIONS];

/** The platform, inspecting a candidate: sees its standing and the platform's own data. */
export const inspectors: Audience = {
  access: known,
  reads: (attribute) => isSensitiveAttribute(attribute) || INSPECTED.includes(attribute),
};
