import type { Handle } from "#candidates/handles";
import { consentRestored, consentRevoked, readableStatuses } from "#candidates/lifecycle";
import type { PackedMembers } from "#candidates/store/item/candidate-item";
import { effectUpdate } from "#candidates/store/write/effect-update";
import type { ItemUpdate } from "#candidates/store/write/item-writes";
import type { WriteStamp } from "#candidates/store/write/write-stamp";
import type { CandidateAmendment } from "#contract/candidate-submission";

export interface AmendOptions {
  /** The record's `updatedAt` must still be one of these. Any version if absent. */
  readonly ifMatch?: readonly string[] | undefined;
}

interface Write extends AmendOptions, WriteStamp {
  /** The members that the amendment sets and clears. */
  readonly packed: PackedMembers;
}

/** The lifecycle effect of an amend. Only a frozen record can have its consent restored; it allows no other amend. */
export type ConsentEffect = typeof consentRevoked | typeof consentRestored | undefined;

/** Withdrawing consent freezes a record; giving consent again restores a frozen one. */
export function consentEffect({ consentGiven }: CandidateAmendment, isFrozen: boolean): ConsentEffect {
  if (consentGiven === false) return consentRevoked;
  return consentGiven && isFrozen ? consentRestored : undefined;
}

/**
 * An amend as one update: it sets the members that are present, removes those that are null or empty, and leaves
 * all others unchanged.
 */
export function amendmentUpdate(
  effect: ConsentEffect,
  handle: Handle,
  { packed, ifMatch, ...stamp }: Write,
): ItemUpdate {
  const { updatedAt, writeId } = stamp;
  const lifecycle = effectUpdate(effect, stamp);
  const status = oneOf("status", effect === consentRestored ? [consentRevoked.status] : readableStatuses());
  const conditions = ["attribute_exists(pk)", status.condition, "#updatedAt < :updatedAt"];
  if (handle.kind === "canonical") conditions.push("attribute_exists(promotedAt)");
  const version = ifMatch && oneOf("updatedAt", ifMatch);
  if (version) conditions.push(version.condition);
  return {
    set: { updatedAt, writeId, ...packed.attributes, ...lifecycle.set },
    assign: lifecycle.assign,
    remove: [...packed.cleared, ...lifecycle.remove],
    conditions,
    values: { ...status.values, ...lifecycle.values, ...version?.values },
  };
}

/** The condition that an attribute has one of these values, at most 100 (Amazon DynamoDB developer guide, "IN"). */
function oneOf(attribute: string, values: readonly string[]) {
  const named = Object.fromEntries(values.map((value, index) => [`:${attribute}${index}`, value]));
  return { condition: `#${attribute} IN (${Object.keys(named).join(", ")})`, values: named };
}
