import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CandidateSubmission } from "#contract/candidate-submission";
import { describeProblems } from "#contract/problems";
import { aDocument, aFullSubmission, aSubmission } from "../builders/submission.ts";
import { submissionCases } from "./cases.ts";
import { judge, problemsOf } from "./judge.ts";

describe("the message of an invalid request", () => {
  test("contains each problem's path and what is expected there", () => {
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

  test("lists problems in the order in which the members were sent, absent ones last", () => {
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

  test("lists problems in the order of the document", () => {
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
  ])("with %i problems lists the first %i and says how many more there are", (count, named, ending) => {
    const verdict = judge(CandidateSubmission, { ...aSubmission(), tags: Array(count).fill(1) });

    const problems = problemsOf(verdict);
    expect(problems.slice(0, named).map((problem) => problem.split(":")[0])).toEqual(
      Array.from({ length: named }, (_, index) => `tags[${index}]`),
    );
    if (ending) expect(problems.slice(named)).toEqual([expect.stringMatching(ending)]);
    else expect(problems).toHaveLength(named);
  });

  test.each([25, 125])("counts %i unknown members one by one", (count) => {
    const unknown = Object.fromEntries(Array.from({ length: count }, (_, index) => [`unknown${index}`, 1]));

    const problems = problemsOf(judge(CandidateSubmission, { ...aSubmission(), ...unknown }));

    expect(problems).toHaveLength(21);
    expect(problems[20]).toBe(`and ${count - 20} more`);
  });

  test.each([
    [0, 25, "body: only members of the contract are expected"],
    [22, 25, "and 3 more"],
  ])(
    "counts %i named members, and %i whose names are not repeated as one problem",
    (named, unnamed, last) => {
      const members = (count: number, name: string) =>
        Array.from({ length: count }, (_, index) => [`${name}${index}`, 1]);
      const unknown = Object.fromEntries([...members(unnamed, "field-"), ...members(named, "field")]);

      const problems = problemsOf(judge(CandidateSubmission, { ...aSubmission(), ...unknown }));

      expect(problems.at(-1)).toBe(last);
    },
  );

  test("with over a hundred problems gives no exact number and stops validating lists", () => {
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

  test("says of a list that is too long only that, however many problems its items have", () => {
    const versions = Array(50).fill({ version: "x" });
    const documents = Array(51).fill({ documentType: 1, versions });

    expect(problemsOf(judge(CandidateSubmission, { ...aSubmission(), documents }))).toEqual([
      "documents: an array of at most 50 items is expected",
    ]);
  });

  test("validates a long list up to the item that makes five hundred problems", () => {
    const versions = Array(50).fill({ version: "x", url: 1, uploadedAt: 1, fileName: 1, checksum: 1 });
    const right = aDocument();
    const documents = [right, { ...right, versions }, right, { ...right, versions }, { ...right, label: 1 }];
    const many = [...documents, ...Array(40).fill({ ...right, versions })];

    const { error } = CandidateSubmission.safeParse({ ...aSubmission(), documents: many, tags: [1] });

    const found = (error?.issues ?? []).map(({ path }) => path.slice(0, 2).join("."));
    expect(new Set(found)).toEqual(new Set(["documents.1", "documents.3", "tags.0"]));
    expect(found.length).toBeGreaterThanOrEqual(501);
  });

  test("validates nothing of a long list after a first item with five hundred problems", () => {
    // Three checks of a whole number fail: 499 problems of versions, and one of currentVersion.
    const version = { version: -0.5, sizeBytes: -0.5, url: 1, uploadedAt: 1, fileName: 1, checksum: 1 };
    const versions = Array(50)
      .fill(version)
      .with(0, { ...version, checksum: null });
    const documents = Array(50).fill({ ...aDocument(), versions });

    const { error } = CandidateSubmission.safeParse({ ...aSubmission(), documents });

    const found = (error?.issues ?? []).map(({ path }) => path.slice(0, 2).join("."));
    expect(new Set(found)).toEqual(new Set(["documents.0"]));
  });

  test.each([
    { values: 2_000, validated: 50 },
    { values: 2_001, validated: 39 },
  ])(
    "validates $validated of 50 items with thirteen problems each if they have $values values",
    ({ values, validated }) => {
      const wrong = {
        ...{
          externalId: 1,
          provider: 1,
          name: 1,
          status: 1,
          outcome: 1,
          score: "a hundred",
          maxScore: "many",
        },
        ...{ scoreBand: 1, reportKey: 1, reportUrl: 1, completedAt: 1, expiresAt: 1 },
      };
      const competencies = Array(values - 50 * (1 + 12) - 1).fill(1);
      const assessments = Array(50)
        .fill(wrong)
        .with(0, { ...wrong, competencies });

      const { error } = CandidateSubmission.safeParse({ ...aSubmission(), assessments });

      const found = (error?.issues ?? []).map(({ path }) => path.slice(0, 2).join("."));
      expect(new Set(found).size).toBe(validated);
    },
  );

  test("validates a long list to its end if it has fewer problems", () => {
    const version = { url: "https://example.com/cv", uploadedAt: "2026-01-01T00:00:00Z" };
    const versions = Array.from({ length: 50 }, (_, index) => ({ version: index + 1, ...version }));
    const documents = Array(50).fill({ documentType: "cv", currentVersion: 50, versions });
    const last = {
      documentType: "cv",
      currentVersion: 50,
      versions: versions.with(49, { ...version, version: 0 }),
    };

    expect(judge(CandidateSubmission, { ...aSubmission(), documents })).toHaveProperty(
      "value.documents",
      documents,
    );
    expect(
      problemsOf(judge(CandidateSubmission, { ...aSubmission(), documents: documents.with(49, last) })).map(
        (problem) => problem.split(":")[0],
      ),
    ).toEqual(["documents[49].versions[49].version", "documents[49]"]);
  });

  test("lists twenty problems also if each lists the values of an enumeration", () => {
    const versions = [{ version: 1, url: "https://example.com/cv", uploadedAt: "2026-01-01T00:00:00Z" }];
    const documents = Array(50).fill({ documentType: "passport", currentVersion: 1, versions });

    const verdict = judge(CandidateSubmission, { ...aSubmission(), documents });

    const problems = problemsOf(verdict);
    expect(problems).toEqual([
      ...Array.from({ length: 20 }, (_, index) =>
        expect.stringContaining(`documents[${index}].documentType: one of `),
      ),
      "and 30 more",
    ]);
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

  test("never repeats a value that was sent, not even a member's name", () => {
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

describe("problems in an invalid request's message", () => {
  const expected = (path: (string | number)[], message = "a text is expected") => ({
    code: "custom" as const,
    path,
    message,
  });
  const unknown = (keys: string[], path: (string | number)[] = []) => ({
    code: "unrecognized_keys" as const,
    path,
    keys,
    message: "",
  });
  const messageOf = (issues: Parameters<typeof describeProblems>[0], value: unknown = {}) =>
    describeProblems(issues, value, "body");
  const many = (count: number) => Array.from({ length: count }, (_, index) => expected([`m${index}`]));

  test("are given by the path of the value, or by the name of the whole body", () => {
    expect(messageOf([expected([])])).toBe("body: a text is expected");
    expect(messageOf([expected([0, "a", 1, 2])])).toBe("[0].a[1][2]: a text is expected");
    expect(messageOf([expected(["a", "b", 3, "c"])])).toBe("a.b[3].c: a text is expected");
  });

  test.each([
    ["the same twice", [["a", 1], "x"], [["a", 1], "x"], "a[1]: x"],
    ["another path", [["a", 1], "x"], [["a", 2], "x"], "a[1]: x; a[2]: x"],
    ["a longer path", [["a"], "x"], [["a", 2], "x"], "a: x; a[2]: x"],
    ["a shorter path", [["a", 2], "x"], [["a"], "x"], "a[2]: x; a: x"],
    ["another expectation", [["a"], "x"], [["a"], "y"], "a: x; a: y"],
  ] as const)("appear once if all checks of a value say the same: %s", (_what, one, other, message) => {
    const issues = [one, other].map(([path, expectation]) => expected([...path], expectation));

    expect(messageOf(issues)).toBe(message);
  });

  test.each([
    [20, undefined],
    [21, "and 1 more"],
    [100, "and 80 more"],
    [101, "and more than 80 more"],
  ])("are limited to the first twenty of %i", (count, ending) => {
    const parts = messageOf(many(count)).split("; ");

    expect(parts.slice(0, 20)).toEqual(
      Array.from({ length: 20 }, (_, index) => `m${index}: a text is expected`),
    );
    expect(parts.slice(20)).toEqual(ending === undefined ? [] : [ending]);
  });

  test.each([
    ["a", true],
    ["_", true],
    ["Z9_".repeat(21), true],
    ["x".repeat(64), true],
    ["x".repeat(65), false],
    ["9a", false],
    ["a-b", false],
    ["a b", false],
    ["a\n", false],
    ["", false],
    ["naïve", false],
  ])("repeat an unknown member only if it looks like a member's name: %j", (name, isRepeated) => {
    expect(messageOf([unknown([name])])).toBe(
      isRepeated
        ? `${name}: no member of this name is expected`
        : "body: only members of the contract are expected",
    );
    expect(messageOf([unknown([name], ["skills", 0])])).toBe(
      isRepeated
        ? `skills[0].${name}: no member of this name is expected`
        : "skills[0]: only members of the contract are expected",
    );
  });

  test("name all unknown members once that do not look like a member's name", () => {
    expect(messageOf([unknown([" 0", "known", " 1", "-"])])).toBe(
      "known: no member of this name is expected; body: only members of the contract are expected",
    );
  });

  test("follow the order of the value at every depth, with absent members last", () => {
    const value = { b: { y: 1, x: [0, 1] }, a: null, c: "text" };
    const paths = [["d"], ["c", "z"], ["a"], ["b", "absent"], ["b", "x", 1], ["b", "x", 0], ["b", "y"]];

    const problems = messageOf(
      paths.map((path) => expected(path, "x")),
      value,
    );

    expect(problems.split("; ").map((problem) => problem.split(":")[0])).toEqual([
      "b.y",
      "b.x[0]",
      "b.x[1]",
      "b.absent",
      "a",
      "c.z",
      "d",
    ]);
  });

  test("of members of a non-object keep the order in which they were found", () => {
    expect(messageOf([expected(["b"], "x"), expected(["a"], "x")], null)).toBe("b: x; a: x");
    expect(messageOf([expected(["b"], "x"), expected(["a"], "x")], "text")).toBe("b: x; a: x");
  });
});

/** The body with every text in it replaced. */
function poison(body: unknown, value: string): unknown {
  return JSON.parse(JSON.stringify(body), (_name, found) => (typeof found === "string" ? value : found));
}
