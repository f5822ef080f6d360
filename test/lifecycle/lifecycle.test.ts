import { describe, expect, test } from "vitest";
import type { CandidateState } from "#candidates/candidate";
import { assessment, transition, workReadinessScore } from "#candidates/change";
import { effectOf, firing, isReadable, received } from "#candidates/lifecycle";
import { aCandidate } from "../builders/candidate.ts";
import { after, DECIDED, ENTERING, STATUSES, type Standing, TRANSITIONS } from "./decided.ts";

const standings: readonly (readonly [keyof (typeof DECIDED)["verify"], Standing])[] = [
  ...STATUSES.map((status) => [status, standing(status, "in_review")] as const),
  ["promoted and verified", standing("promoted", "verified")],
];

describe.each(standings)("from %s", (line, before) => {
  test.each(TRANSITIONS)("%s does what the decisions say", (name) => {
    const expected = DECIDED[name][line];

    const effect = effectOf(name, stateOf(before));

    if (typeof expected === "string") {
      expect(effect).toBe(expected);
      return;
    }
    expect(effect).toMatchObject({ event: expected.event });
    if (typeof effect === "string") return;
    // A tombstone holds a status alone.
    if (expected.status === "erased") {
      expect(effect).toEqual({ status: "erased", event: "candidate.erased" });
      return;
    }
    const { event, ...changes } = effect;
    expect({ ...stateOf(before), ...changes }).toMatchObject(stateOf(after(expected, before)));
  });

  test.each(TRANSITIONS)("%s as a decision changes, leaves alone or refuses", (name) => {
    const candidate = aCandidate({}, stateOf(before));
    const expected = DECIDED[name][line];

    const decide = () => transition(name)(candidate);

    if (expected === "refused") {
      expect(decide).toThrow(`${name} is not allowed from the status ${before.status}`);
    } else if (expected === "in effect") {
      expect(decide()).toBeUndefined();
    } else {
      expect(decide()).toMatchObject({ effect: { event: expected.event } });
    }
  });
});

test("create puts a candidate in intake with the event that tells of it", () => {
  expect(received).toEqual({ ...stateOf(ENTERING), event: "candidate.received" });
});

test("only a candidate without consent, or erased, is unreadable", () => {
  expect(STATUSES.filter(isReadable)).toEqual(["received", "validation_failed", "verified", "promoted"]);
});

describe("the reasons of a validation that failed", () => {
  const reasons = [
    { code: "document_expired", message: "The certificate has expired." },
    { code: "other", message: "ü 😀" },
  ];

  test("travel with the decision, in order", () => {
    expect(transition("fail-validation", reasons)(aCandidate({}))).toMatchObject({ reasons });
  });

  test("stand in the outbox exactly as given, and no other event has any", () => {
    expect(firing("candidate.validation_failed", "2026-01-01T00:00:00.000Z", reasons).reasons).toEqual(
      reasons,
    );
    expect(firing("candidate.verified", "2026-01-01T00:00:00.000Z")).not.toHaveProperty("reasons");
  });
});

describe("the work-readiness score", () => {
  test.each(["received", "validation_failed", "verified", "promoted"] as const)(
    "may be set, set again and taken away while %s",
    (status) => {
      const scored = aCandidate({}, { status, workReadinessScore: 50 });

      expect(workReadinessScore(0)(aCandidate({}, { status }))).toEqual({ workReadinessScore: 0 });
      expect(workReadinessScore(100)(scored)).toEqual({ workReadinessScore: 100 });
      expect(workReadinessScore(null)(scored)).toEqual({ workReadinessScore: null });
    },
  );

  test("that is so already changes nothing", () => {
    expect(workReadinessScore(50)(aCandidate({}, { workReadinessScore: 50 }))).toBeUndefined();
    expect(workReadinessScore(null)(aCandidate({}))).toBeUndefined();
    expect(workReadinessScore(0)(aCandidate({}, { workReadinessScore: 0 }))).toBeUndefined();
  });

  test.each([
    ["consent_revoked", "consent_revoked"],
    ["erased", "not_found"],
  ] as const)("is refused while %s", (status, code) => {
    expect(() => workReadinessScore(1)(aCandidate({}, { status }))).toThrow(
      expect.objectContaining({ code }),
    );
  });
});

describe("an assessment", () => {
  const result = anAssessment({ externalId: "result-1" });

  test("is added after those that are there", () => {
    const other = anAssessment({ externalId: "result-2" });

    expect(assessment(result)(aCandidate({ assessments: [other] }))).toEqual({
      assessments: [other, result],
    });
    expect(assessment(result)(aCandidate({}))).toEqual({ assessments: [result] });
  });

  test("takes the place of the one of the same provider and externalId", () => {
    const [before, between, behind] = [
      anAssessment({ externalId: "result-1", status: "scheduled" as const }),
      anAssessment({ externalId: "result-2" }),
      anAssessment({ externalId: "result-1", provider: "proctor" as const }),
    ];

    const change = assessment(result)(aCandidate({ assessments: [before, between, behind] }));

    expect(change).toEqual({ assessments: [result, between, behind] });
  });

  test.each([null, undefined])("whose externalId is %s never replaces another", (externalId) => {
    const nameless = anAssessment({ externalId });

    expect(assessment(nameless)(aCandidate({ assessments: [nameless] }))).toEqual({
      assessments: [nameless, nameless],
    });
  });

  test("is refused beyond the fifty that a candidate holds, unless it replaces one", () => {
    const full = aCandidate({
      assessments: Array.from({ length: 50 }, (_, index) => anAssessment({ externalId: `result-${index}` })),
    });

    expect(() => assessment(anAssessment({ externalId: "one more" }))(full)).toThrow("50");
    expect(assessment(result)(full)?.assessments).toHaveLength(50);
  });

  test.each([
    ["consent_revoked", "consent_revoked"],
    ["erased", "not_found"],
  ] as const)("is refused while %s", (status, code) => {
    expect(() => assessment(result)(aCandidate({}, { status }))).toThrow(expect.objectContaining({ code }));
  });
});

function standing(status: Standing["status"], verification: Standing["verification"]): Standing {
  return { status, verification, availability: "pending" };
}

function stateOf({ status, verification, availability }: Standing) {
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
