import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CandidateSubmission } from "#contract/candidate-submission";
import { aFullSubmission, aSubmission } from "../builders/submission.ts";
import { submissionCases } from "./cases.ts";
import { judge, problemsOf } from "./judge.ts";

describe("the message of a refusal", () => {
  test("names each problem's path and what is expected there", () => {
    const verdict = judge(CandidateSubmission, {
      ...aSubmission({ firstName: "" }),
      lastName: undefined,
      workHistory: [
        { employer: "A", jobTitle: "B", startDate: "2020-01-01" },
        { employer: "A", jobTitle: "B", startDate: "2020-01-01" },
        { employer: "A", jobTitle: "B", startDate: "2020-01" },
      ],
    });

    const problems = problemsOf(verdict);
    expect(problems).toHaveLength(3);
    expect(problems[0]).toMatch(/^firstName: .*1 to 120/);
    expect(problems[1]).toMatch(/^workHistory\[2\]\.startDate: .*YYYY-MM-DD/);
    expect(problems[2]).toMatch(/^lastName: .*required/);
  });

  test("tells them in the order in which the members were sent, absent ones last", () => {
    const verdict = judge(CandidateSubmission, {
      nickname: 1,
      tags: [1],
      externalId: "x",
      email: "",
      countryOfResidence: "gb",
      lastName: "",
      consentGiven: true,
    });

    expect(problemsOf(verdict).map((problem) => problem.split(":")[0])).toEqual([
      "nickname",
      "tags[0]",
      "email",
      "countryOfResidence",
      "lastName",
      "firstName",
    ]);
  });

  test("tells problems in the order of the document", () => {
    const verdict = judge(CandidateSubmission, {
      ...aFullSubmission(),
      firstName: 1,
      skills: [
        { name: "", yearsExperience: 61, nickname: 1 },
        { name: "x", yearsExperience: -1 },
      ],
      tags: ["x".repeat(61), "x", 1],
      nickname: 1,
    });

    expect(problemsOf(verdict).map((problem) => problem.split(":")[0])).toEqual([
      "firstName",
      "skills[0].name",
      "skills[0].yearsExperience",
      "skills[0].nickname",
      "skills[1].yearsExperience",
      "tags[0]",
      "tags[2]",
      "nickname",
    ]);
  });

  test.each([
    [20, 20, undefined],
    [21, 20, /\b1 more$/],
    [50, 20, /\b30 more$/],
  ])("of %i problems names the first %i and says how many more there are", (count, named, ending) => {
    const verdict = judge(CandidateSubmission, { ...aSubmission(), tags: Array(count).fill(1) });

    const problems = problemsOf(verdict);
    expect(problems.slice(0, named).map((problem) => problem.split(":")[0])).toEqual(
      Array.from({ length: named }, (_, index) => `tags[${index}]`),
    );
    if (ending) expect(problems.slice(named)).toEqual([expect.stringMatching(ending)]);
    else expect(problems).toHaveLength(named);
  });

  test("counts unknown members one by one", () => {
    const unknown = Object.fromEntries(Array.from({ length: 25 }, (_, index) => [`unknown${index}`, 1]));

    const problems = problemsOf(judge(CandidateSubmission, { ...aSubmission(), ...unknown }));

    expect(problems).toHaveLength(21);
    expect(problems[20]).toMatch(/\b5 more$/);
  });

  test("of more than a hundred says no exact number, and leaves lists unread once enough is wrong", () => {
    const versions = Array(50).fill({ version: "x", url: 1, uploadedAt: 1, fileName: 1, checksum: 1 });
    const body = {
      ...aSubmission(),
      documents: Array(50).fill({ documentType: 1, currentVersion: "x", versions, label: 1 }),
      skills: Array(100).fill({ name: "", yearsExperience: 61 }),
    };

    const issues = CandidateSubmission.safeParse(body).error?.issues ?? [];
    const problems = problemsOf(judge(CandidateSubmission, body));

    expect(issues.length).toBeLessThan(1_000);
    expect(problems).toHaveLength(21);
    expect(problems[20]).toBe("and more than 80 more");
    expect(judge(CandidateSubmission, aFullSubmission())).toHaveProperty("value");
  });

  test("fits 4 KB, however long the words that are expected", () => {
    const versions = [{ version: 1, url: "https://example.com/cv", uploadedAt: "2026-01-01T00:00:00Z" }];
    const documents = Array(50).fill({ documentType: "passport", currentVersion: 1, versions });

    const verdict = judge(CandidateSubmission, { ...aSubmission(), documents });

    const problems = problemsOf(verdict);
    expect("message" in verdict && Buffer.byteLength(verdict.message)).toBeLessThan(4_000);
    expect(problems.slice(0, -1)).toEqual(
      problems.slice(0, -1).map((_, index) => expect.stringContaining(`documents[${index}].documentType`)),
    );
    expect(problems.at(-1)).toBe(`and ${50 - (problems.length - 1)} more`);
  });

  test.each([
    ["null", null],
    ["an array", []],
    ["a text", "x"],
    ["a number", 1],
    ["true", true],
  ])("says that an object is expected where the body is %s", (_what, body) => {
    expect(problemsOf(judge(CandidateSubmission, body))).toEqual([
      expect.stringMatching(/^body: an object /),
    ]);
  });

  test("never repeats a value that was sent, be it a member's name", () => {
    const canary = /canary-\w+/;
    const secret = fc.integer({ min: 0 }).map((seed) => `canary-${seed.toString(36)} <ada@example.com>`);
    const refusals = submissionCases().filter(({ accepted }) => !accepted);

    fc.assert(
      fc.property(secret, fc.constantFrom(...refusals), (value, { body }) => {
        const poisoned = poison(body, value);

        const verdict = judge(CandidateSubmission, { ...(poisoned as object), [value]: value });

        expect("message" in verdict && verdict.message).toBeTruthy();
        expect("message" in verdict && verdict.message).not.toMatch(canary);
      }),
      { numRuns: 300 },
    );
  });
});

/** The body with every text in it replaced. */
function poison(body: unknown, value: string): unknown {
  return JSON.parse(JSON.stringify(body), (_name, found) => (typeof found === "string" ? value : found));
}
