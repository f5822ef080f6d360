import { PLATFORM_ASSESSMENTS, type PlatformAssessment } from "#candidates/assessments";
import type { Candidate, CandidateMembers, CandidateState, Rejection } from "#candidates/candidate";
import {
  documentsIn,
  isSensitiveAttribute,
  replacedDocuments,
  SHARED_DOCUMENTS,
} from "#candidates/documents";
import type { OutboxEvent } from "#candidates/lifecycle";
import { REJECTIONS } from "#candidates/rejections";
import { isStored, packMember, type StoredMember, unpackMember } from "#candidates/store/item/member-codec";
import { isSectionReference, type SectionReference } from "#candidates/store/item/section-reference";
import { CandidateRecord } from "#contract/candidate-record";
import type { CandidateAmendment, CandidateSubmission } from "#contract/candidate-submission";

const SHOWN: ReadonlySet<string> = new Set([...Object.keys(CandidateRecord.shape), PLATFORM_ASSESSMENTS]);

/** Whether the record that integrators read has something of an attribute. */
export function isShown(name: string): boolean {
  return SHOWN.has(name);
}

/**
 * A candidate as the table keeps it: its state in attributes that conditions can judge, each member in
 * an attribute of its own, so that an amend touches no other.
 */
export type CandidateItem = CandidateState & {
  /** Set by a write that fires an event, removed by every other: the stream lets just those through. */
  readonly event?: OutboxEvent;
  /** The write that made the item what it is; see `WriteOutcome`. */
  readonly writeId?: string;
  /** The newest stored form that any of its attributes has. */
  readonly itemVersion: number;
  /** Present, and true, when an amend must read the candidate first: see `#candidates/store/large/candidate-size`. */
  readonly large?: true;
  /** Plain, however long: events carry it. */
  readonly externalId?: string | undefined;
  readonly [attribute: string]: unknown;
};

/** A candidate, and the item that holds it or names its parts. */
export interface ReadCandidate {
  readonly item: CandidateItem;
  readonly candidate: Candidate;
}

/** A candidate's members and lists as its item has them, or would, by attribute. */
export type ItemMembers = Readonly<Record<string, StoredMember | SectionReference>>;

/** Lists and members as attributes of an item, and the bytes that their JSON takes. */
export interface PackedMembers {
  readonly attributes: Readonly<Record<string, StoredMember>>;
  /** The attributes that are empty now; what reads back as absent is not stored. */
  readonly cleared: readonly string[];
  readonly jsonBytes: number;
}

/** The members of a submission or an amendment as the attributes that they replace. */
export function packMembers(members: CandidateSubmission | CandidateAmendment): PackedMembers {
  const { documents, ...others } = members;
  return packAttributes({ ...others, ...(documents && replacedDocuments(documents)) });
}

/** Attributes by name. The `externalId` stays plain. */
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

/** The state of the candidate that an item holds. */
export function stateOf(item: CandidateItem): CandidateState {
  return divided(item).state;
}

/** The attributes of an item that hold members and lists, or name the parts that do. */
export function membersOf(item: CandidateItem): ItemMembers {
  return divided(item).members;
}

/**
 * The candidate that an item holds.
 *
 * @param sections what is kept in parts, packed; what is not given is absent
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
