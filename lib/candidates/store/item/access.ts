import { PLATFORM_ASSESSMENTS } from "#candidates/assessments";
import { isSensitiveAttribute, SHARED_DOCUMENTS } from "#candidates/documents";
import { type Handle, noSuchCandidate } from "#candidates/handles";
import { isReadable } from "#candidates/lifecycle";
import { REJECTIONS } from "#candidates/rejections";
import { type CandidateItem, isShown } from "#candidates/store/item/candidate-item";
import { assertKnownVersion } from "#candidates/store/item/item-version";
import { ConsentRevoked } from "#contract/errors";

/** Lets an item pass to those who may see it, and throws what the others are told. */
export type Access = (item: CandidateItem | undefined, handle: Handle) => CandidateItem;

/**
 * For the platform: any item that answers to this kind of handle.
 *
 * @throws NotFound when there is none
 */
const known: Access = (item, handle) => {
  if (!item || (handle.kind === "canonical" && !item.promotedAt)) throw noSuchCandidate();
  assertKnownVersion(item);
  return item;
};

/**
 * For integrators, to whom an erased candidate never was.
 *
 * @throws NotFound
 */
export const existing: Access = (item, handle) => {
  const candidate = known(item, handle);
  if (candidate.status === "erased") throw noSuchCandidate();
  return candidate;
};

/**
 * For integrators, while consent stands.
 *
 * @throws NotFound, ConsentRevoked
 */
export const readable: Access = (item, handle) => {
  const candidate = existing(item, handle);
  if (!isReadable(candidate.status)) throw new ConsentRevoked();
  return candidate;
};

/** Whose eyes a candidate is read for. */
export interface Audience {
  readonly access: Access;
  /** Whether an attribute is read where it is kept in parts. */
  reads(attribute: string): boolean;
}

/** Who sees the safe projection. */
export const integrators: Audience = { access: readable, reads: isShown };

/** Who moves candidates along: reads what a change is decided on. */
export function platform(attributes: readonly string[]): Audience {
  return { access: known, reads: (attribute) => attributes.includes(attribute) };
}

const INSPECTED: readonly string[] = ["assessments", PLATFORM_ASSESSMENTS, SHARED_DOCUMENTS, REJECTIONS];

/** Who sees where a candidate stands, with what the platform keeps about it. */
export const inspectors: Audience = {
  access: known,
  reads: (attribute) => isSensitiveAttribute(attribute) || INSPECTED.includes(attribute),
};
