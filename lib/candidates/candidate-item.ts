import type { Candidate, CandidateState } from "#candidates/candidate";
import type { ItemMembers } from "#candidates/candidate-size";
import { canonicalIdOf, stagedIdOf } from "#candidates/handles";
import type { OutboxEvent } from "#candidates/lifecycle";
import { isStored, packMember, type StoredMember, unpackMember } from "#candidates/member-codec";
import { isSectionReference } from "#candidates/section-reference";

/**
 * The stored forms of an item; docs/data-model.md tells how to add one. An item without `itemVersion` is
 * of the first.
 */
export const ORDINARY_ITEM = 1;
/** Members may be references to parts, so that an amend must read the item first. */
export const LARGE_ITEM = 2;

/** The newest stored form that this code reads. */
export const ITEM_VERSION = Math.max(ORDINARY_ITEM, LARGE_ITEM);

/**
 * A candidate as the table keeps it: its state in attributes that conditions can judge, each member in
 * an attribute of its own, so that an amend touches no other.
 */
export type CandidateItem = CandidateState & {
  /** Set by a write that fires an event, removed by every other: the stream lets just those through. */
  readonly event?: OutboxEvent;
  /** The write that made the item what it is; see `CandidateRepository`. */
  readonly writeId?: string;
  /** The newest stored form that any of its attributes has. */
  readonly itemVersion?: number;
  readonly [attribute: string]: unknown;
};

const PARTITION_KEY = /^CANDIDATE#([^#]+)#([0-9a-z]{26})$/;

/** The sort key of a candidate, beside which its parts lie. */
export const RECORD = "RECORD";

/** The primary key of a candidate. The organisation is part of it: no handle reaches another's candidate. */
export function candidateKey(orgId: string, digest: string) {
  return { pk: `CANDIDATE#${orgId}#${digest}`, sk: RECORD };
}

/** Whose candidate a partition key names, or undefined for an item of another kind. */
export function parseCandidateKey(partitionKey: unknown): { orgId: string; digest: string } | undefined {
  const [, orgId, digest] = PARTITION_KEY.exec(String(partitionKey)) ?? [];
  return orgId && digest ? { orgId, digest } : undefined;
}

/** Both handles of a candidate; the canonical id is null before promotion. */
export function handlesOf(digest: string, state: Pick<CandidateState, "promotedAt">) {
  return { stagedId: stagedIdOf(digest), id: state.promotedAt ? canonicalIdOf(digest) : null };
}

/** Members as attributes of an item, and the bytes that their JSON takes. */
export interface PackedMembers {
  readonly attributes: Readonly<Record<string, StoredMember>>;
  readonly jsonBytes: number;
}

/**
 * The attributes that hold a candidate's members; what reads back as absent is not stored. The
 * `externalId` stays plain, however long: events carry it.
 */
export function packMembers(members: object): PackedMembers {
  const attributes: Record<string, StoredMember> = {};
  let jsonBytes = 0;
  for (const [name, value] of Object.entries(members)) {
    if (!isStored(value)) continue;
    const packed = packMember(value);
    attributes[name] = name === "externalId" ? value : packed.stored;
    jsonBytes += packed.jsonBytes;
  }
  return { attributes, jsonBytes };
}

/**
 * Older code must not misread or half overwrite what newer code wrote, as after a rollback.
 *
 * @throws Error when the item is of a newer form than this code knows
 */
export function assertKnownVersion({ itemVersion = 1 }: CandidateItem): void {
  if (itemVersion > ITEM_VERSION) {
    throw new Error(`The item is of version ${itemVersion}; this code reads ${ITEM_VERSION} and older.`);
  }
}

/** The attributes of an item that hold members, or name the parts that do. */
export function membersOf(item: CandidateItem): ItemMembers {
  return divided(item).members;
}

/**
 * The candidate that an item holds.
 *
 * @param sections the packed members that are kept in parts; one that is not given is absent
 */
export function toCandidate(
  digest: string,
  item: CandidateItem,
  sections: Readonly<Record<string, Uint8Array>> = {},
): Candidate {
  const { state, members } = divided(item);
  const packed = Object.entries({ ...members, ...sections }).filter(
    ([, value]) => !isSectionReference(value),
  );
  return {
    digest,
    members: Object.fromEntries(packed.map(([name, value]) => [name, unpackMember(value)])),
    state,
  };
}

function divided(item: CandidateItem): { state: CandidateState; members: ItemMembers } {
  const {
    pk,
    sk,
    event,
    writeId,
    itemVersion,
    statusBeforeRevocation,
    availabilityStatusBeforeRevocation,
    deleteAfter,
    status,
    verificationStatus,
    availabilityStatus,
    workReadinessScore,
    receivedAt,
    updatedAt,
    promotedAt,
    eventSequence,
    ...members
  } = item;
  return {
    state: {
      status,
      verificationStatus,
      availabilityStatus,
      workReadinessScore,
      receivedAt,
      updatedAt,
      promotedAt,
      eventSequence,
    },
    members: members as ItemMembers,
  };
}
