import { expect, test } from "vitest";
import { canonicalIdOf, digestOf, stagedIdOf } from "#candidates/handles";
import { type AbridgedCandidateEvent, completed, completedForFeed } from "#candidates/outbox/abridged-event";
import type { Life } from "#candidates/outbox/candidate-lives";
import { newEventId } from "#contract/identifiers";
import { runtime } from "#runtime/runtime";
import { ACME } from "../../builders/organisation.ts";

const DIGEST = digestOf(ACME, "ext-1");
const REASON = { code: "cv_unreadable", message: "The CV could not be opened." };

const EVENT: AbridgedCandidateEvent = {
  id: newEventId(runtime),
  type: "candidate.validation_failed",
  apiVersion: "1.2.0",
  occurredAt: "2026-12-01T09:00:00.000Z",
  sequence: 2,
  data: {
    stagedId: stagedIdOf(DIGEST),
    id: canonicalIdOf(DIGEST),
    status: "validation_failed",
    verificationStatus: "in_review",
    availabilityStatus: "pending",
  },
};

test.each([{ complete: completed }, { complete: completedForFeed }])(
  "$complete.name leaves out members of a reason that a later version has stored",
  ({ complete }) => {
    const rejection = {
      sequence: 2,
      occurredAt: EVENT.occurredAt,
      reasons: [{ ...REASON, documentUrl: "x" }],
    };
    const life: Life = {
      isErased: false,
      firstSequence: 1,
      externalId: "ext-1",
      rejections: [rejection],
    };

    expect(complete(EVENT, life).data).toMatchObject({ reasons: [REASON] });
    expect(JSON.stringify(complete(EVENT, life))).not.toContain("documentUrl");
  },
);
