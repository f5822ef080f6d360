import { expect, test } from "vitest";
import { toCandidateRecord } from "#candidates/projection";
import {
  type CandidateItem,
  membersOf,
  packMembers,
  toCandidate,
} from "#candidates/store/item/candidate-item";
import { ITEM_VERSION } from "#candidates/store/item/item-version";
import { isStored } from "#candidates/store/item/member-codec";
import { newOutboxEvent } from "#candidates/store/item/outbox-event";
import { CandidateSubmission } from "#contract/candidate-submission";
import { newEventId } from "#contract/identifiers";
import { runtime } from "#runtime/runtime";
import { A_DIGEST, aCandidate } from "../../../builders/candidate.ts";
import { aDocument, aFullSubmission } from "../../../builders/submission.ts";
import { submissionCases } from "../../../contract/cases.ts";
import { RETURNED, recordMembersOf } from "../../../contract/expected-record.ts";

/** An item that has every attribute that can stand beside a member. */
const beside = {
  pk: "CANDIDATE#acme#x",
  sk: "RECORD",
  ...aCandidate({}, { promotedAt: "2026-01-02T00:00:00.000Z", workReadinessScore: 7 }).state,
  event: newOutboxEvent("candidate.promoted", {
    eventId: newEventId(runtime),
    updatedAt: "2026-01-02T00:00:00.000Z",
  }),
  writeId: "write-1",
  itemVersion: ITEM_VERSION,
  large: true,
  statusBeforeRevocation: "verified",
  availabilityStatusBeforeRevocation: "available",
  deleteAfter: 1_800_000_000,
} as const satisfies CandidateItem;

test("an item's attributes that are not members are not read as members", () => {
  const submission = CandidateSubmission.parse(aFullSubmission());
  const { attributes } = packMembers(submission);
  const item = { ...attributes, ...beside };

  expect(membersOf(item)).toEqual(attributes);
  expect(toCandidate(A_DIGEST, item).members).toEqual(submission);
});

test("visible documents come first, then the sensitive ones by type", () => {
  const types = ["right_to_work", "portfolio", "identity_document", "cv", "medical_certificate"] as const;
  const { documents } = CandidateSubmission.parse(
    aFullSubmission({ documents: types.map((documentType) => aDocument({ documentType })) }),
  );
  const item = { ...packMembers({ documents }).attributes, ...beside };

  const { members } = toCandidate(A_DIGEST, item);

  expect(Object.keys(members)).toEqual(["documents"]);
  expect(members.documents?.map(({ documentType }) => documentType)).toEqual([
    "portfolio",
    "cv",
    "identity_document",
    "medical_certificate",
    "right_to_work",
  ]);
});

const cases = submissionCases();

test.each(Object.keys(CandidateSubmission.shape))(
  "%s at any of its bounds reads back from an item and in a record as it was sent",
  (member) => {
    const accepted = cases.filter((each) => each.accepted && each.member === member);

    expect(accepted.length).toBeGreaterThan(0);
    for (const { body, path, what } of accepted) {
      const sent: Partial<CandidateSubmission> = {
        [member]: CandidateSubmission.parse(body)[member as never],
      };
      const { members } = toCandidate(A_DIGEST, { ...packMembers(sent).attributes, ...beside });
      const record = toCandidateRecord(aCandidate(members));

      // What is null or empty is not stored, and filled in by the projection.
      if (isStored(sent[member as never])) expect(members, `${path} = ${what}`).toEqual(sent);
      const expected = RETURNED.includes(member) ? recordMembersOf(body)[member] : undefined;
      expect(JSON.parse(JSON.stringify(record))[member], `${path} = ${what}`).toEqual(expected);
    }
  },
);

test("a member stored in parts is absent unless its content is given", () => {
  const { skills } = CandidateSubmission.parse(aFullSubmission());
  const { attributes } = packMembers({ skills });
  const item = { ...beside, skills: { hash: "hash", writeId: "write-1", parts: 1, responseBytes: 1 } };

  expect(toCandidate(A_DIGEST, item).members).toEqual({});
  expect(toCandidate(A_DIGEST, item, attributes as Record<string, Uint8Array>).members).toEqual({ skills });
});
