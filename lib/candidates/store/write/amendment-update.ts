import type { Handle } from "#candidates/handles";
import { consentRestored, consentRevoked, type WriteStamp } from "#candidates/lifecycle";
import type { PackedMembers } from "#candidates/store/item/candidate-item";
import { effectUpdate } from "#candidates/store/write/effect-update";
import type { ItemUpdate } from "#candidates/store/write/item-writes";
import type { CandidateAmendment } from "#contract/candidate-submission";

export interface AmendOptions {
  /** Versions (`updatedAt`) one of which the record must still have; any when absent. */
  readonly ifMatch?: readonly string[] | undefined;
}

interface Write extends AmendOptions, WriteStamp {
  /** What the amendment sets and clears. */
  readonly packed: PackedMembers;
}

/** What an amend does to the lifecycle. Consent restored is for a frozen record alone, all else for others. */
export type ConsentEffect = typeof consentRevoked | typeof consentRestored | undefined;

/** Consent withdrawn freezes a record; consent given again restores one that is frozen. */
export function consentEffect({ consentGiven }: CandidateAmendment, isFrozen: boolean): ConsentEffect {
  if (consentGiven === false) return consentRevoked;
  return consentGiven && isFrozen ? consentRestored : undefined;
}

/**
 * An amend as one update: it sets the members that are present, removes those that are null or empty,
 * and touches no other.
 */
export function amendmentUpdate(
  effect: ConsentEffect,
  handle: Handle,
  { packed, ifMatch, ...stamp }: Write,
): ItemUpdate {
  const { updatedAt, writeId } = stamp;
  const step = effect && effectUpdate(effect, stamp);
  const isFrozen = effect === consentRestored;
  const conditions = [
    "attribute_exists(pk)",
    "#status <> :erased",
    `#status ${isFrozen ? "=" : "<>"} :revoked`,
    "#updatedAt < :updatedAt",
  ];
  if (handle.kind === "canonical") conditions.push("attribute_exists(promotedAt)");
  const versions = Object.fromEntries(ifMatch?.map((version, index) => [`:version${index}`, version]) ?? []);
  if (ifMatch) conditions.push(`#updatedAt IN (${Object.keys(versions).join(", ")})`);
  return {
    set: { updatedAt, writeId, ...packed.attributes, ...step?.set },
    assign: { ...step?.assign },
    remove: [...packed.cleared, ...(step?.remove ?? ["event"])],
    conditions,
    values: { ":erased": "erased", ":revoked": consentRevoked.status, ...step?.values, ...versions },
  };
}
