import { expect, test } from "vitest";
import { platformView } from "#candidates/platform-view";
import { aCandidate } from "../builders/candidate.ts";
import { aDocument } from "../builders/submission.ts";

test("a document is shown with the upload time of its current version, at any position in the list", () => {
  const versions = [1, 2, 3].map((version) => ({
    version,
    url: `https://files.example.com/${version}`,
    uploadedAt: `2026-01-0${version}T00:00:00Z`,
  }));
  const document = aDocument({ currentVersion: 2, versions });

  expect(platformView(aCandidate({ documents: [document] })).documents).toEqual([
    { documentType: "cv", number: 1, versions: 3, uploadedAt: "2026-01-02T00:00:00Z" },
  ]);
});

test("a document whose current version is missing is shown without an upload time", () => {
  const candidate = aCandidate({ documents: [aDocument({ currentVersion: 7 })] });

  expect(platformView(candidate).documents).toMatchObject([{ number: 1, versions: 1, uploadedAt: "" }]);
});

test("documents are numbered by type, and a candidate without documents shows none", () => {
  const types = ["cv", "other", "cv"] as const;
  const candidate = aCandidate({ documents: types.map((documentType) => aDocument({ documentType })) });

  expect(platformView(candidate).documents.map(({ documentType, number }) => [documentType, number])).toEqual(
    [
      ["cv", 1],
      ["other", 1],
      ["cv", 2],
    ],
  );
  expect(platformView(aCandidate({}))).toMatchObject({
    documents: [],
    assessments: 0,
    platformAssessments: 0,
  });
});

test("an assessment that the platform overrides is counted once", () => {
  const anAssessment = (externalId: string) => ({
    externalId,
    provider: "partner" as const,
    name: "Typing",
    status: "completed" as const,
    competencies: [],
  });
  const candidate = aCandidate(
    { assessments: [anAssessment("1"), anAssessment("2")] },
    {},
    { platformAssessments: [anAssessment("2"), anAssessment("3")] },
  );

  expect(platformView(candidate)).toMatchObject({ assessments: 3, platformAssessments: 2 });
});

test("the platform sees a candidate's statuses, and why it was rejected", () => {
  const rejections = [
    {
      sequence: 2,
      occurredAt: "2026-01-02T00:00:00.000Z",
      reasons: [{ code: "cv_unreadable", message: "No CV." }],
    },
  ];

  expect(platformView(aCandidate({}, {}, { rejections }))).toMatchObject({
    verificationStatus: "in_review",
    availabilityStatus: "pending",
    rejections,
  });
});
