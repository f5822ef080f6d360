import type { Candidate, CandidateState } from "#candidates/candidate";
import { canonicalIdOf, stagedIdOf } from "#candidates/handles";
import type { OutboxEvent } from "#candidates/lifecycle";
import { isStored, packMember, unpackMember } from "#candidates/member-codec";

/**
 * The stored form that this code writes, and the newest that it reads; docs/data-model.md tells how to
 * change it. An item without the attribute is of the first.
 */
export const ITEM_VERSION = 1;

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

/** The primary key of a candidate. The organisation is part of it: no handle reaches another's candidate. */
export function candidateKey(orgId: string, digest: string) {
  return { pk: `CANDIDATE#${orgId}#${digest}`, sk: "RECORD" };
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

/**
 * The attributes that hold a candidate's members; what reads back as absent is not stored. The
 * `externalId` stays plain, however long: events carry it.
 */
export function packMembers(members: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(members)
      .filter(([, value]) => isStored(value))
      .map(([name, value]) => [name, name === "externalId" ? value : packMember(value)]),
  );
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

export function toCandidate(digest: string, item: CandidateItem): Candidate {
  const {
    pk,
    sk,
    event,
    writeId,
    itemVersion,
    statusBeforeRevocation,
    availabilityStatusBeforeRevocation,
    status,
    verificationStatus,
    availabilityStatus,
    workReadinessScore,
    receivedAt,
    updatedAt,
    promotedAt,
    eventSequence,
    ...packed
  } = item;
  return {
    digest,
    members: Object.fromEntries(Object.entries(packed).map(([name, value]) => [name, unpackMember(value)])),
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
  };
}
