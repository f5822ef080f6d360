import { describe, expect, test } from "vitest";
import { CandidateSubmission } from "#contract/candidate-submission";
import { aDocument, aFullSubmission, aSubmission } from "../builders/submission.ts";
import { judge, problemsOf } from "./judge.ts";

const url = "https://example.com/x";
const uploadedAt = "2026-01-01T00:00:00Z";

function problemsWith(members: Record<string, unknown>): string[] {
  return problemsOf(judge(CandidateSubmission, { ...aSubmission(), ...members }));
}

describe("media items need exactly one of assetKey and url:", () => {
  const problemsOfMedia = (item: object) => problemsWith({ media: [{ kind: "audio", ...item }] });

  test.each([
    [{ assetKey: "k" }],
    [{ url }],
    [{ assetKey: "k", url: null }],
    [{ assetKey: null, url }],
    [{ assetKey: "k", provider: "platform" }],
    [{ url, provider: "platform" }],
    [{ assetKey: "" }],
  ])("%j is accepted", (item) => {
    expect(problemsOfMedia(item)).toEqual([]);
  });

  test.each([
    [{}],
    [{ assetKey: "k", url }],
    [{ assetKey: null, url: null }],
    [{ assetKey: null }],
    [{ url: null }],
    [{ provider: "platform" }],
    [{ assetKey: "", url }],
  ])("%j is refused", (item) => {
    expect(problemsOfMedia(item)).toEqual([expect.stringMatching(/^media\[0\]: .*assetKey.*url/)]);
  });

  test("a violation is reported together with the object's other problems", () => {
    expect(problemsOfMedia({ assetKey: "k", url, width: -1, nickname: "x", kind: "zebra" })).toEqual([
      expect.stringMatching(/^media\[0\]\.kind: /),
      expect.stringMatching(/^media\[0\]\.width: /),
      expect.stringMatching(/^media\[0\]\.nickname: /),
      expect.stringMatching(/^media\[0\]: /),
    ]);
  });

  test("each item is validated separately", () => {
    const problems = problemsWith({ media: [{ kind: "audio", url }, { kind: "audio" }, { kind: "audio" }] });

    expect(problems.map((problem) => problem.split(":")[0])).toEqual(["media[1]", "media[2]"]);
  });
});

describe("assessments need at most one of reportKey and reportUrl:", () => {
  const problemsOfAssessment = (item: object) =>
    problemsWith({ assessments: [{ name: "x", status: "completed", ...item }] });

  test.each([
    [{}],
    [{ reportKey: "k" }],
    [{ reportUrl: url }],
    [{ reportKey: null, reportUrl: null }],
    [{ reportKey: "k", reportUrl: null }],
    [{ reportKey: null, reportUrl: url }],
  ])("%j is accepted", (item) => {
    expect(problemsOfAssessment(item)).toEqual([]);
  });

  test.each([[{ reportKey: "k", reportUrl: url }], [{ reportKey: "", reportUrl: url }]])(
    "%j is refused",
    (item) => {
      expect(problemsOfAssessment(item)).toEqual([
        expect.stringMatching(/^assessments\[0\]: .*reportKey.*reportUrl/),
      ]);
    },
  );

  test("a violation is reported together with the object's other problems", () => {
    expect(problemsOfAssessment({ reportKey: "k", reportUrl: url, score: 101, name: "" })).toEqual([
      expect.stringMatching(/^assessments\[0\]\.name: /),
      expect.stringMatching(/^assessments\[0\]\.score: /),
      expect.stringMatching(/^assessments\[0\]: /),
    ]);
  });
});

describe("documents need unique versions that include currentVersion:", () => {
  const versions = (...numbers: unknown[]) => numbers.map((version) => ({ version, url, uploadedAt }));
  const problemsOfDocument = (members: object) =>
    problemsWith({ documents: [{ ...aDocument(), ...members }] });

  test.each([
    [1, [1]],
    [2, [1, 2, 3]],
    [2, [3, 2, 1]],
    [7, [100, 7]],
    [Number.MAX_SAFE_INTEGER, [Number.MAX_SAFE_INTEGER]],
  ])("currentVersion %j of versions %j is accepted", (currentVersion, numbers) => {
    expect(problemsOfDocument({ currentVersion, versions: versions(...numbers) })).toEqual([]);
  });

  test.each([
    [2, [1]],
    [3, [1, 2]],
    [1, [1, 1]],
    [2, [1, 2, 3, 2]],
  ])("currentVersion %j of versions %j is refused", (currentVersion, numbers) => {
    expect(problemsOfDocument({ currentVersion, versions: versions(...numbers) })).toEqual([
      expect.stringMatching(/^documents\[0\]: /),
    ]);
  });

  test("violations of both rules are reported at once", () => {
    expect(problemsOfDocument({ currentVersion: 9, versions: versions(1, 1) })).toEqual([
      "documents[0]: version numbers that are unique within the document are expected",
      "documents[0]: a currentVersion that is one of versions[].version is expected",
    ]);
  });

  test("violations are reported together with the object's other problems", () => {
    const problems = problemsOfDocument({
      documentType: "zebra",
      currentVersion: 9,
      versions: [...versions(1), { version: 1, url: "no", uploadedAt }],
    });

    expect(problems.map((problem) => problem.split(":")[0])).toEqual([
      "documents[0].documentType",
      "documents[0].versions[1].url",
      "documents[0]",
      "documents[0]",
    ]);
  });

  test("versions without a valid number are not repeated numbers, and no versions lack none", () => {
    const uniqueNumbers = "documents[0]: version numbers that are unique within the document are expected";
    const knownVersion = "documents[0]: a currentVersion that is one of versions[].version is expected";

    const problems = problemsOfDocument({ currentVersion: 1, versions: versions(1, null, null) });

    expect(problems).toHaveLength(2);
    expect(problems).not.toContain(uniqueNumbers);
    expect(problemsOfDocument({ currentVersion: 1, versions: [] })).not.toContain(knownVersion);
  });

  test("version numbers need only be unique within one document", () => {
    expect(problemsWith({ documents: [aDocument(), aDocument()] })).toEqual([]);
  });

  test.each([[undefined], [null], ["x"], [{}], [[null]], [[1]], [[[]]], [[{}]], [[{ version: null }]]])(
    "versions that are %j are a problem, not an exception",
    (broken) => {
      expect(problemsOfDocument({ versions: broken })).not.toEqual([]);
    },
  );
});

test.each([
  [false, "expected"],
  [null, "expected"],
  [undefined, "required"],
])("a submission with consentGiven %j is refused, because consent is %s", (consentGiven, problem) => {
  expect(problemsWith({ consentGiven })).toEqual([
    `consentGiven: the candidate's consent, true, is ${problem}`,
  ]);
});

test("a referee's e-mail address may be null, and the message says so", () => {
  const problemsOfReferee = (address: unknown) =>
    problemsWith({ referees: [{ name: "Charles", email: address }] });

  expect(problemsOfReferee(null)).toEqual([]);
  expect(problemsOfReferee("charles")).toEqual([
    "referees[0].email: an ASCII e-mail address with a dot in its domain and at most 254 characters, 64 before the @, or null, is expected",
  ]);
});

describe("a broken rule is reported together with other problems of the same object", () => {
  const twoKeys = { kind: "audio", assetKey: "k", url };
  const twoReports = { name: "x", status: "completed", reportKey: "k", reportUrl: url };
  const wrongVersion = { ...aDocument(), currentVersion: 9 };

  test.each([
    ["media", "kind", twoKeys, { kind: undefined }],
    ["media", "kind", twoKeys, { kind: "zebra" }],
    ["media", "fileName", twoKeys, { fileName: "x".repeat(256) }],
    ["media", "url", twoKeys, { url: `${url}${"x".repeat(2048)}` }],
    ["media", "url", twoKeys, { url: "no" }],
    ["media", "sizeBytes", twoKeys, { sizeBytes: 524_288_001 }],
    ["media", "width", twoKeys, { width: 0.5 }],
    ["media", "durationSeconds", twoKeys, { durationSeconds: -1 }],
    ["media", "caption", twoKeys, { caption: "\ud83d" }],
    ["media", "uploadedAt", twoKeys, { uploadedAt: "2026-01-01" }],
    ["media", "nickname", twoKeys, { nickname: 1 }],
    ["assessments", "name", twoReports, { name: "" }],
    ["assessments", "score", twoReports, { score: 101 }],
    ["assessments", "competencies[0].code", twoReports, { competencies: [{ code: "" }] }],
    ["assessments", "competencies[0].code", twoReports, { competencies: [{}] }],
    ["assessments", "status", twoReports, { status: undefined }],
    ["assessments", "reportKey", twoReports, { reportKey: "x".repeat(513) }],
    ["assessments", "reportUrl", twoReports, { reportUrl: "no" }],
    ["assessments", "expiresAt", twoReports, { expiresAt: "tomorrow" }],
    ["documents", "label", wrongVersion, { label: "x".repeat(201) }],
    ["documents", "documentType", wrongVersion, { documentType: "zebra" }],
    ["documents", "nickname", wrongVersion, { nickname: 1 }],
    [
      "documents",
      "versions[0].url",
      wrongVersion,
      { versions: [{ version: 1, url: "no", uploadedAt, sizeBytes: -1, checksum: "x".repeat(129) }] },
    ],
    [
      "documents",
      "versions[0].checksum",
      wrongVersion,
      { versions: [{ version: 1, url, uploadedAt, checksum: "x".repeat(129) }] },
    ],
  ])("in %s: with a problem at %s", (list, path, broken, alsoWrong) => {
    const problems = problemsWith({ [list]: [{ ...broken, ...alsoWrong }] });

    expect(problems).toContainEqual(expect.stringMatching(new RegExp(`^${list}\\[0\\]: `)));
    expect(problems.map((problem) => problem.split(":")[0])).toContain(`${list}[0].${path}`);
  });
});

describe("a submission that the contract does not forbid is accepted with", () => {
  test.each([
    [
      "an end before the start",
      { workHistory: [{ employer: "A", jobTitle: "B", startDate: "2020-01-01", endDate: "2010-01-01" }] },
    ],
    [
      "a current role that has ended",
      {
        workHistory: [
          { employer: "A", jobTitle: "B", startDate: "2020-01-01", endDate: "2021-01-01", isCurrent: true },
        ],
      },
    ],
    [
      "a least salary above the greatest",
      { jobPreferences: { salaryExpectation: { currency: "EUR", min: 2, max: 1 } } },
    ],
    [
      "a score above its greatest",
      { assessments: [{ name: "x", status: "completed", score: 90, maxScore: 10 }] },
    ],
    ["an outcome before completion", { assessments: [{ name: "x", status: "scheduled", outcome: "pass" }] }],
    ["a birth date in the future", { dateOfBirth: "2999-01-01" }],
    ["the same skill twice", { skills: Array(2).fill({ name: "x", yearsExperience: 1 }) }],
    ["the same tag twice", { tags: ["x", "x"] }],
    ["the same consent twice", { consents: Array(2).fill({ type: "marketing", granted: true }) }],
    [
      "a document version's URL with an own scheme",
      { documents: [aDocument({ versions: [{ version: 1, url: "x-partner:1", uploadedAt }] })] },
    ],
  ])("%s", (_what, members) => {
    expect(problemsWith(members)).toEqual([]);
  });
});

test("a value that is validated repeatedly gets the same result each time", () => {
  const right = aFullSubmission();
  const wrong = { ...right, firstName: "", skills: [{ name: 1 }], documents: [{}], nickname: 1 };
  const [accepted, refused] = [judge(CandidateSubmission, right), judge(CandidateSubmission, wrong)];

  for (let time = 0; time < 200; time++) {
    expect(judge(CandidateSubmission, right)).toEqual(accepted);
    expect(judge(CandidateSubmission, wrong)).toEqual(refused);
  }
});
