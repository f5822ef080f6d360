import { PLATFORM_ASSESSMENTS } from "#candidates/assessments";
import type { Candidate, CandidateMembers, CandidateState } from "#candidates/candidate";
import type { PlatformAssessment, Rejection } from "#candidates/candidate-commands";
import {
  documentsIn,
  isSensitiveAttribute,
  replacedDocuments,
  SHARED_DOCUMENTS,
} from "#candidates/documents";
import { REJECTIONS } from "#candidates/rejections";
import { isStored, packMember, type StoredMember, unpackMember } from "#candidates/store/item/member-codec";
import type { OutboxEvent } from "#candidates/store/item/outbox-event";
import { isSectionReference, type SectionReference } from "#candidates/store/item/section-reference";
import { CandidateRecord } from "#contract/candidate-record";
import type { CandidateAmendment, CandidateSubmission } from "#contract/candidate-submission";

const SHOWN: ReadonlySet<string> = new Set([...Object.keys(CandidateRecord.shape), PLATFORM_ASSESSMENTS]);

/** Whether the record that integrators read includes anything from an attribute. */
export function isShown(name: string): boolean {
  return SHOWN.has(name);
}

/**
 * A candidate as stored in the table: its state in attributes that conditions can test, and each member in its own
 * attribute, so that an amend touches no other.
 */
export type CandidateItem = CandidateState & {
  /** Set by a write that fires an event, removed by every other. The stream's filter passes only items that have it. */
  readonly event?: OutboxEvent;
  /** The id of the write that last changed the item; see `WriteOutcome`. */
  readonly writeId: string;
  /** The storage version of its attributes. */
  readonly itemVersion: number;
  /** Present, and true, if an amend must read the candidate first: see `#candidates/store/large/candidate-size`. */
  readonly large?: true;
  /** Stored as plain text, whatever its length: events carry it. */
  readonly externalId?: string | undefined;
  readonly [attribute: string]: unknown;
};

/** A candidate, and the item that holds it or references its parts. */
export interface ReadCandidate {
  readonly item: CandidateItem;
  readonly candidate: Candidate;
}

/** A candidate's members and lists by attribute, as its item holds or would hold them. */
export type ItemMembers = Readonly<Record<string, StoredMember | SectionReference>>;

/** Lists and members as attributes of an item, and the size of their JSON in bytes. */
export interface PackedMembers {
  readonly attributes: Readonly<Record<string, StoredMember>>;
  /** The attributes that are now empty. Values that read back as absent are not stored. */
  readonly cleared: readonly string[];
  readonly jsonBytes: number;
}

/** The members of a submission or an amendment, as the attributes that they replace. */
export function packMembers(members: CandidateSubmission | CandidateAmendment): PackedMembers {
  const { documents, ...others } = members;
  return packAttributes({ ...others, ...(documents && replacedDocuments(documents)) });
}

/** Packs values into attributes of the same names. The `externalId` stays plain text. */
export function packAttributes(values: Readonly<Record<string, unknown>>): PackedMembers {
  const attributes: Record<string, StoredMember> = {};
  const cleared: string[] = [];
  let jsonBytes = 0;
  for (const [name, value] of Object.entries(values)) {
    if (!isStored(value)) {
      cleared.push(name);
      continue;
    }
    const packed = packMember(value);
    attributes[name] = name === "externalId" ? (value as string) : packed.stored;
    jsonBytes += packed.jsonBytes;
  }
  return { attributes, cleared, jsonBytes };
}

/** The candidate's state in an item. */
export function stateOf(item: CandidateItem): CandidateState {
  return divided(item).state;
}

/** The attributes of an item that hold members and lists, or reference their parts. */
export function membersOf(item: CandidateItem): ItemMembers {
  return divided(item).members;
}

/**
 * The candidate in an item.
 *
 * @param sections the packed members that are stored in parts; those not given are absent
 */
export function toCandidate(
  digest: string,
  item: CandidateItem,
  sections: Readonly<Record<string, Uint8Array>> = {},
): Candidate {
  const { state, members } = divided(item);
  const unpacked: Record<string, unknown> = {};
  for (const [name, value] of Object.entries({ ...members, ...sections })) {
    if (!isSectionReference(value)) unpacked[name] = unpackMember(value);
  }
  const {
    [PLATFORM_ASSESSMENTS]: platformAssessments = [],
    [REJECTIONS]: rejections = [],
    ...submitted
  } = unpacked;
  return {
    digest,
    members: withDocuments(submitted),
    platformAssessments: platformAssessments as readonly PlatformAssessment[],
    rejections: rejections as readonly Rejection[],
    state,
  };
}

function withDocuments(submitted: Readonly<Record<string, unknown>>): CandidateMembers {
  const documents = documentsIn(submitted);
  const others = Object.entries(submitted).filter(
    ([name]) => name !== SHARED_DOCUMENTS && !isSensitiveAttribute(name),
  );
  return { ...Object.fromEntries(others), ...(documents.length > 0 && { documents }) } as CandidateMembers;
}

function divided(item: CandidateItem): { state: CandidateState; members: ItemMembers } {
  const {
    pk,
    sk,
    event,
    writeId,
    itemVersion,
    large,
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
    sequence,
    firstSequence,
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
      sequence,
      firstSequence,
    },
    members: members as ItemMembers,
  };
}
