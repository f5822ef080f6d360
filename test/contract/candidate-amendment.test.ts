import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CandidateAmendment } from "#contract/candidate-submission";
import { aFullSubmission, type SubmissionBody } from "../builders/submission.ts";
import { AMENDABLE, NOT_AMENDABLE, submission } from "./bounds.ts";
import { amendmentCases, anyAmendment } from "./cases.ts";
import { judge, judgeText, problemsOf, valueAt } from "./judge.ts";

const cases = amendmentCases();

describe("the body of amend", () => {
  test.each(cases.filter(({ accepted }) => accepted))(
    "$path may be $what",
    ({ body, path, what, expected }) => {
      const verdict = judge(CandidateAmendment, body);

      expect(problemsOf(verdict)).toEqual([]);
      const isTopLevel = !/[.[]/.test(path);
      expect(valueAt("value" in verdict && verdict.value, path)).toEqual(
        what === "nothing" && isTopLevel ? undefined : expected,
      );
    },
  );

  test.each(cases.filter(({ accepted }) => !accepted))("$path may not be $what", ({ body, member }) => {
    const problems = problemsOf(judge(CandidateAmendment, body));

    expect(problems).toContainEqual(expect.stringMatching(new RegExp(`^${member}\\b`)));
  });

  test("accepts exactly the members of the contract's list", () => {
    expect(Object.keys(CandidateAmendment.shape).sort(), "`AMENDABLE` in test/contract/bounds.ts").toEqual(
      [...AMENDABLE].sort(),
    );
  });

  test("accepts or refuses each member of create", () => {
    expect([...AMENDABLE, ...NOT_AMENDABLE].sort(), "`NOT_AMENDABLE` in test/contract/bounds.ts").toEqual(
      Object.keys(submission.members).sort(),
    );
  });

  test("that is empty stays empty, so that no default clears a list", () => {
    expect(CandidateAmendment.parse({})).toEqual({});
  });

  test.each(AMENDABLE)("may contain %s alone, and gets no default for other members", (member) => {
    const body = { [member]: (aFullSubmission() as Record<string, unknown>)[member] };

    expect(Object.keys(CandidateAmendment.parse(body))).toEqual([member]);
  });

  test.each(NOT_AMENDABLE)("may not contain %s", (member: keyof SubmissionBody) => {
    const verdict = judge(CandidateAmendment, { firstName: "Ada", [member]: aFullSubmission()[member] });

    expect(problemsOf(verdict)).toEqual([expect.stringMatching(new RegExp(`^${member}: `))]);
  });

  test.each(["id", "stagedId", "status", "updatedAt", "workReadinessScore", "orgId", "pk", "__proto__"])(
    "may not contain %s, which the service sets",
    (member) => {
      const verdict = judgeText(CandidateAmendment, `{"${member}":"x"}`);

      expect(problemsOf(verdict)).toHaveLength(1);
    },
  );

  test.each([true, false])("may contain consentGiven %s", (consentGiven) => {
    expect(CandidateAmendment.parse({ consentGiven })).toEqual({ consentGiven });
  });

  test("gets defaults within a member that it replaces", () => {
    expect(CandidateAmendment.parse({ jobPreferences: {} })).toEqual({
      jobPreferences: { desiredTitles: [], employmentTypes: [], preferredCountries: [] },
    });
  });

  test("may contain any value within the bounds, which is kept unchanged", () => {
    fc.assert(
      fc.property(anyAmendment, (body) => {
        const verdict = judge(CandidateAmendment, body);

        expect(problemsOf(verdict)).toEqual([]);
        expect("value" in verdict && verdict.value).toMatchObject(body);
        expect("value" in verdict && Object.keys(verdict.value).sort()).toEqual(Object.keys(body).sort());
      }),
    );
  });
});
