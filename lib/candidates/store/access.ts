import { type Handle, noSuchCandidate } from "#candidates/handles";
import { isReadable } from "#candidates/lifecycle";
import type { CandidateItem } from "#candidates/store/item/candidate-item";
import { assertKnownVersion } from "#candidates/store/item/item-version";
import { ConsentRevoked } from "#contract/errors";

/** Lets an item pass to those who may see it, and throws what the others are told. */
export type Access = (item: CandidateItem | undefined, handle: Handle) => CandidateItem;

/**
 * For the platform: any item that answers to this kind of handle.
 *
 * @throws NotFound when there is none
 */
export const known: Access = (item, handle) => {
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
