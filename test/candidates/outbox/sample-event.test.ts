import { expect, test } from "vitest";
import { sampleCandidateEvent } from "#candidates/outbox/sample-event";
import { CANDIDATE_EVENT_TYPES } from "#contract/events";
import { runtime } from "#runtime/runtime";

test.each(CANDIDATE_EVENT_TYPES.filter((type) => type !== "candidate.erased"))(
  "a sample of %s is about a candidate with the externalId sample",
  (type) => {
    expect(sampleCandidateEvent(type, runtime)).toMatchObject({
      type,
      sample: true,
      data: { externalId: "sample" },
    });
  },
);

test("a sample of an erasure has ids and the status only, like every erasure", () => {
  expect(Object.keys(sampleCandidateEvent("candidate.erased", runtime).data).sort()).toEqual([
    "id",
    "stagedId",
    "status",
  ]);
});

test("a sample of a failed validation has a reason", () => {
  expect(sampleCandidateEvent("candidate.validation_failed", runtime)).toMatchObject({
    data: { reasons: [{ code: "sample", message: "A sample reason." }] },
  });
});
