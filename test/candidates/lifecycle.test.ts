import { describe, expect, test } from "vitest";
import type { Candidate, CandidateState } from "#candidates/candidate";
import type { Rejection } from "#candidates/candidate-commands";
import {
  assessment,
  type Decision,
  decisionOf,
  documentRemoval,
  erasureRequest,
  transition,
  workReadinessScore,
} from "#candidates/change";
import { type Effect, effectOf, isReadable, readableStatuses } from "#candidates/lifecycle";
import { newOutboxEvent } from "#candidates/store/item/outbox-event";
import type { EventType } from "#contract/events";
import { newEventId } from "#contract/identifiers";
import { PLATFORM_TRANSITIONS } from "#contract/platform-transition";
import { runtime } from "#runtime/runtime";
import { aCandidate } from "../builders/candidate.ts";
import { aDocument } from "../builders/submission.ts";
import { EXPECTED_EFFECTS, type Line, STATUSES, type Statuses } from "./expected-lifecycle.ts";

const REASONS = [
  { code: "unreadable", message: "A document cannot be read." },
  { code: "expired", message: "The certificate has expired." },
];
const [unreadable, expired] = REASONS;

const aRejection = (...reasons: Rejection["reasons"]): Rejection => ({
  sequence: 2,
  occurredAt: "2026-01-01T00:00:00.000Z",
  reasons,
});

const lines: readonly (readonly [Line, Statuses, readonly Rejection[]])[] = [
  ...STATUSES.map((status) => [status, statuses(status, "in_review"), []] as const),
  ["promoted and verified", statuses("promoted", "verified"), []],
  ["failed for these very reasons", statuses("validation_failed", "in_review"), [aRejection(...REASONS)]],
];

/** What goes into the record beside the statuses, by event. */
const ALSO: Partial<Record<EventType, Partial<Effect>>> = {
  "candidate.promoted": { setsPromotedAt: true },
  "candidate.validation_failed": { addsRejection: true },
  "candidate.consent_revoked": { withdrawsConsent: true },
};

describe.each(lines)("the lifecycle from the status %s:", (line, before, rejections) => {
  const candidate = aCandidate({}, stateOf(before), { rejections });

  test.each(PLATFORM_TRANSITIONS)("%s has the effect that the decisions specify", (name) => {
    const expected = EXPECTED_EFFECTS[name][line];

    const effect = effectOf(name, candidate, REASONS);

    if (typeof expected === "string") {
      expect(effect).toBe(expected);
      return;
    }
    // A tombstone holds a status alone.
    expect(effect).toEqual(
      expected.status === "erased"
        ? { status: "erased", event: "candidate.erased" }
        : {
            status: expected.status,
            ...(expected.verification !== "kept" && { verificationStatus: expected.verification }),
            // Restored with the status.
            ...(!["kept", "before revocation"].includes(expected.availability) && {
              availabilityStatus: expected.availability,
            }),
            ...ALSO[expected.event],
            event: expected.event,
          },
    );
  });

  test.each(PLATFORM_TRANSITIONS)("%s is done, ignored or refused as the decisions specify", (name) => {
    const expected = EXPECTED_EFFECTS[name][line];

    const decide = () => transition(name, REASONS).decide(candidate);

    if (expected === "refused") {
      expect(decide).toThrow(`${name} is not allowed from the status ${before.status}`);
    } else if (expected === "in effect") {
      expect(decide()).toBeUndefined();
    } else {
      expect(decide()).toMatchObject({ effect: { event: expected.event } });
    }
  });
});

describe("a failed validation", () => {
  const failed = (...rejections: Rejection[]) =>
    aCandidate({}, { status: "validation_failed" }, { rejections });

  test.each([
    ["fewer reasons", failed(aRejection(...REASONS)), REASONS.slice(1)],
    ["more reasons", failed(aRejection(...REASONS.slice(1))), REASONS],
    ["another message", failed(aRejection(...REASONS)), [unreadable, { ...expired, message: "Another." }]],
    [
      "reasons of a rejection before the last",
      failed(aRejection(...REASONS), aRejection(...REASONS.slice(1))),
      REASONS,
    ],
  ])("fails again, with an event, for %s", (_what, candidate, reasons) => {
    expect(effectOf("fail-validation", candidate, reasons as typeof REASONS)).toMatchObject({
      event: "candidate.validation_failed",
    });
  });

  test.each([
    ["in another order", REASONS, REASONS.toReversed()],
    ["given twice", REASONS, [...REASONS, ...REASONS]],
    ["given twice before", [...REASONS, ...REASONS], REASONS],
  ])("changes nothing for the same reasons %s", (_what, before, reasons) => {
    expect(effectOf("fail-validation", failed(aRejection(...before)), reasons)).toBe("in effect");
  });

  test("fails again from the status verified for the same reasons", () => {
    const verified = aCandidate({}, { status: "verified" }, { rejections: [aRejection(...REASONS)] });

    expect(effectOf("fail-validation", verified, REASONS)).toMatchObject({
      event: "candidate.validation_failed",
    });
  });
});

test("only a candidate that is erased or without consent is unreadable", () => {
  const readable = ["received", "validation_failed", "verified", "promoted"];
  expect(STATUSES.filter(isReadable)).toEqual(readable);
  expect(readableStatuses()).toEqual(readable);
  // Only newer code can have written it: "consent revoked" would be wrong.
  expect(() => isReadable("archived" as never)).toThrow("The status archived of the candidate is unknown.");
});

describe("a change reads from parts only what its decision needs:", () => {
  const result = anAssessment({ externalId: "result-1" });
  const removal = { documentType: "identity_document", updatedAt: "2026-01-01T00:00:00.000Z" } as const;

  test.each<[string, Decision, string[]]>([
    ["a verification", transition("verify"), []],
    ["a failed validation", transition("fail-validation", REASONS), ["rejections"]],
    ["an erasure request", erasureRequest("ext-1"), []],
    ["a score", workReadinessScore(12), []],
    ["an assessment", assessment(result), ["platformAssessments"]],
    ["the removal of a document", documentRemoval(removal), ["documents_identity_document"]],
  ])("%s", (_what, { reads }, expected) => {
    expect(reads).toEqual(expected);
  });
});

describe("the platform's command", () => {
  const candidate = aCandidate({ documents: [aDocument({ documentType: "cv" })] });
  const result = anAssessment({ externalId: "result-1" });
  const removal = { documentType: "cv", updatedAt: candidate.state.updatedAt } as const;
  const ofCandidate = { orgId: "acme", handle: "staged_0" };

  test.each([
    ["verify", { transition: "verify" }, transition("verify")],
    [
      "fail-validation",
      { transition: "fail-validation", reasons: REASONS },
      transition("fail-validation", REASONS),
    ],
    ["score", { transition: "score", score: 12 }, workReadinessScore(12)],
    ["assess", { transition: "assess", assessment: result }, assessment(result)],
    ["remove-document", { transition: "remove-document", ...removal }, documentRemoval(removal)],
  ] as const)("%s asks for the decision of its name", (_name, command, expected) => {
    const { reads, decide } = decisionOf({ ...ofCandidate, ...command });

    expect(reads).toEqual(expected.reads);
    expect(decide(candidate)).toEqual(expected.decide(candidate));
  });
});

test("an erasure request with another externalId is refused with the member's name", () => {
  expect(() => erasureRequest("another").decide(aCandidate({}))).toThrow(
    "externalId: the externalId of this candidate is expected",
  );
});

describe("the reasons of a failed validation", () => {
  const reasons = [
    { code: "document_expired", message: "The certificate has expired." },
    { code: "other", message: "ü 😀" },
  ];

  test("are part of the decision, in order", () => {
    expect(transition("fail-validation", reasons).decide(aCandidate({}))).toMatchObject({ reasons });
  });

  test("are stored unchanged in the outbox, and with no other event", () => {
    const stamp = { eventId: newEventId(runtime), updatedAt: "2026-01-01T00:00:00.000Z" };
    expect(newOutboxEvent("candidate.validation_failed", stamp, reasons).reasons).toEqual(reasons);
    expect(newOutboxEvent("candidate.verified", stamp)).not.toHaveProperty("reasons");
  });
});

describe("the work-readiness score", () => {
  test.each(["received", "validation_failed", "verified", "promoted"] as const)(
    "can be set, changed and cleared while %s",
    (status) => {
      const scored = aCandidate({}, { status, workReadinessScore: 50 });

      expect(workReadinessScore(0).decide(aCandidate({}, { status }))).toEqual({ workReadinessScore: 0 });
      expect(workReadinessScore(100).decide(scored)).toEqual({ workReadinessScore: 100 });
      expect(workReadinessScore(null).decide(scored)).toEqual({ workReadinessScore: null });
    },
  );

  test("that is unchanged writes nothing", () => {
    expect(workReadinessScore(50).decide(aCandidate({}, { workReadinessScore: 50 }))).toBeUndefined();
    expect(workReadinessScore(null).decide(aCandidate({}))).toBeUndefined();
    expect(workReadinessScore(0).decide(aCandidate({}, { workReadinessScore: 0 }))).toBeUndefined();
  });

  test.each([
    ["consent_revoked", "consent_revoked"],
    ["erased", "not_found"],
  ] as const)("is refused while %s", (status, code) => {
    expect(() => workReadinessScore(1).decide(aCandidate({}, { status }))).toThrow(
      expect.objectContaining({ code }),
    );
  });
});

describe("an assessment by the platform", () => {
  const result = anAssessment({ externalId: "result-1" });

  const decided = (candidate: Candidate) =>
    assessment(result).decide(candidate)?.lists?.["platformAssessments"];

  test("is added after the platform's others, and leaves the partner's unchanged", () => {
    const other = anAssessment({ externalId: "result-2" });

    expect(decided(aCandidate({ assessments: [other] }))).toEqual([result]);
    expect(decided(aCandidate({}, {}, { platformAssessments: [other] }))).toEqual([other, result]);
  });

  test.each([0, 1, 2])("replaces the platform's of the same provider and externalId: %i", (place) => {
    const others = [
      anAssessment({ externalId: "result-1", provider: "proctor" as const }),
      anAssessment({ externalId: "result-2" }),
    ];
    const replaced = anAssessment({ externalId: "result-1", status: "scheduled" as const });

    expect(
      decided(aCandidate({}, {}, { platformAssessments: others.toSpliced(place, 0, replaced) })),
    ).toEqual(others.toSpliced(place, 0, result));
  });

  test.each([
    ["provider", { provider: "proctor" as const }],
    ["externalId", { externalId: "result-2" }],
  ])("is added if the platform's existing one differs only in its %s", (_member, difference) => {
    const other = { ...result, ...difference };

    expect(decided(aCandidate({}, {}, { platformAssessments: [other] }))).toEqual([other, result]);
  });

  test("that already exists changes nothing", () => {
    const platformAssessments = [structuredClone(result)];

    expect(assessment(result).decide(aCandidate({}, {}, { platformAssessments }))).toBeUndefined();
  });

  test("is added even to fifty, because the limit applies to a request body", () => {
    const platformAssessments = Array.from({ length: 50 }, (_, index) =>
      anAssessment({ externalId: `other-${index}` }),
    );

    expect(decided(aCandidate({}, {}, { platformAssessments }))).toHaveLength(51);
  });

  test.each([
    ["consent_revoked", "consent_revoked"],
    ["erased", "not_found"],
  ] as const)("is refused while %s", (status, code) => {
    expect(() => assessment(result).decide(aCandidate({}, { status }))).toThrow(
      expect.objectContaining({ code }),
    );
  });
});

function statuses(status: Statuses["status"], verification: Statuses["verification"]): Statuses {
  return { status, verification, availability: "pending" };
}

function stateOf({ status, verification, availability }: Statuses) {
  return {
    status,
    verificationStatus: verification,
    availabilityStatus: availability,
  } satisfies Partial<CandidateState>;
}

function anAssessment<Overrides extends object>(overrides: Overrides) {
  return {
    provider: "partner" as const,
    name: "Reasoning",
    status: "completed" as const,
    competencies: [],
    ...overrides,
  };
}
