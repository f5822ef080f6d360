import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CandidateSubmission } from "#contract/candidate-submission";
import { aFullSubmission, aSubmission } from "../builders/submission.ts";
import { submission } from "./bounds.ts";
import { anyRefusedSubmission, anySubmission, submissionCases } from "./cases.ts";
import type { JsonObject } from "./json.ts";
import { judge, judgeText, problemsOf, valueAt } from "./judge.ts";
import type { Kind } from "./kinds.ts";

const cases = submissionCases();

/** The paths of members that none of the values has. */
function unsetIn(values: readonly unknown[], kind: Kind, path = ""): string[] {
  const present = values.filter((value) => value !== undefined && value !== null);
  if (present.length === 0) return [path];
  if (kind.type === "list") return unsetIn(present.flat(), kind.item, `${path}[]`);
  if (kind.type === "leaf") return [];
  return Object.entries(kind.members).flatMap(([name, member]) =>
    unsetIn(
      present.map((value) => (value as JsonObject)[name]),
      member.kind,
      `${path}.${name}`,
    ),
  );
}

describe("the body of create", () => {
  test.each(cases.filter(({ accepted }) => accepted))("$path may be $what", ({ body, path, expected }) => {
    const verdict = judge(CandidateSubmission, body);

    expect(problemsOf(verdict)).toEqual([]);
    expect(valueAt("value" in verdict && verdict.value, path)).toEqual(expected);
  });

  test.each(cases.filter(({ accepted }) => !accepted))("$path may not be $what", ({ body, path }) => {
    const problems = problemsOf(judge(CandidateSubmission, body));

    expect(problems).not.toEqual([]);
    expect(problems).toContainEqual(expect.stringMatching(problemAt(path)));
  });

  test("accepts exactly the members of the contract's table", () => {
    expect(Object.keys(CandidateSubmission.shape).sort(), "`submission` in test/contract/bounds.ts").toEqual(
      Object.keys(submission.members).sort(),
    );
  });

  test("has a full example with each member at every depth, for the tests that use it", () => {
    expect(unsetIn([aFullSubmission()], submission), "`aFullSubmission` in test/builders").toEqual([]);
  });

  test("gets the contract's defaults and nothing more", () => {
    const sent = aSubmission({
      jobPreferences: { salaryExpectation: { currency: "EUR" } },
      source: {},
      workHistory: [{ employer: "A", jobTitle: "B", startDate: "2020-01-01" }],
      media: [{ kind: "audio", url: "https://example.com/a.mp3" }],
      assessments: [{ name: "A", status: "scheduled" }],
    });

    expect(CandidateSubmission.parse(sent)).toEqual({
      ...sent,
      jobPreferences: {
        desiredTitles: [],
        employmentTypes: [],
        preferredCountries: [],
        salaryExpectation: { currency: "EUR", period: "annual" },
      },
      source: { provider: "partner" },
      workHistory: [{ employer: "A", jobTitle: "B", startDate: "2020-01-01", isCurrent: false }],
      media: [{ kind: "audio", url: "https://example.com/a.mp3", provider: "partner" }],
      assessments: [{ name: "A", status: "scheduled", provider: "partner", competencies: [] }],
      skills: [],
      education: [],
      languages: [],
      workEligibility: [],
      referees: [],
      tags: [],
      documents: [],
      links: [],
      consents: [],
    });
  });

  test("may omit every optional member", () => {
    expect(problemsOf(judge(CandidateSubmission, aSubmission()))).toEqual([]);
  });

  test("may contain every member, each kept unchanged", () => {
    const sent = aFullSubmission();

    expect(CandidateSubmission.parse(sent)).toMatchObject(sent);
  });

  test("may contain any value within the bounds, which is kept unchanged", () => {
    fc.assert(
      fc.property(anySubmission, (body) => {
        const verdict = judge(CandidateSubmission, body);

        expect(problemsOf(verdict)).toEqual([]);
        expect("value" in verdict && verdict.value).toMatchObject(body);
      }),
    );
  });

  test("is refused for a single member out of bounds, whatever the others contain", () => {
    fc.assert(
      fc.property(anyRefusedSubmission, ({ body }) => {
        expect(problemsOf(judge(CandidateSubmission, body))).not.toEqual([]);
      }),
    );
  });

  test("is validated without an exception, whatever JSON it is", () => {
    fc.assert(fc.property(fc.json({ maxDepth: 6 }), (text) => void judgeText(CandidateSubmission, text)));
  });
});

describe("a JSON number", () => {
  const skillOf = (years: string, lastUsed: string) =>
    JSON.stringify(aSubmission()).replace(
      /}$/,
      `,"skills":[{"name":"x","yearsExperience":${years},"lastUsedYear":${lastUsed}}]}`,
    );

  test.each([
    ["1", "2000.0"],
    ["0.0", "2.0e3"],
    ["-0", "2000"],
    ["6e1", "20000E-1"],
  ])("%s is accepted as a number, and %s as a whole number", (years, lastUsed) => {
    expect(problemsOf(judgeText(CandidateSubmission, skillOf(years, lastUsed)))).toEqual([]);
  });

  test.each([
    ["1e400", "2000"],
    ["-1e400", "2000"],
    ["1", "2000.5"],
    ["1", "1e400"],
    ["60.0000001", "2000"],
    ["-1e-9", "2000"],
  ])("%s is refused as a number, and %s as a whole number", (years, lastUsed) => {
    expect(problemsOf(judgeText(CandidateSubmission, skillOf(years, lastUsed)))).not.toEqual([]);
  });

  test.each(["1e400", "-1e400"])("%s is refused even without a maximum", (huge) => {
    const text = JSON.stringify(aFullSubmission()).replace(/"min":60250.75/, `"min":${huge}`);

    expect(problemsOf(judgeText(CandidateSubmission, text))).toEqual([
      expect.stringMatching(/^jobPreferences\.salaryExpectation\.min: /),
    ]);
  });
});

function problemAt(path: string): RegExp {
  const escaped = path.replace(/[[\].]/g, "\\$&");
  return path === "" ? /^(?:body|\w+): ./ : new RegExp(`^${escaped}(?:\\b|\\[|\\.|: )`);
}
