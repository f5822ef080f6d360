import { expect, test } from "vitest";
import { shown } from "#candidates/platform-view";
import { aCandidate } from "../builders/candidate.ts";
import { aDocument } from "../builders/submission.ts";

const aVersion = (version: number, uploadedAt: string) => ({
  version,
  url: `https://files.example.com/${version}`,
  uploadedAt,
});

test("a document is shown with the time of its current version, wherever that stands in the list", () => {
  const versions = [aVersion(1, "2026-01-01T00:00:00Z"), aVersion(3, "2026-03-03T00:00:00Z")];
  const document = aDocument({
    currentVersion: 2,
    versions: [...versions.slice(0, 1), aVersion(2, "2026-02-02T00:00:00Z"), ...versions.slice(1)],
  });

  expect(shown(aCandidate({ documents: [document] })).documents).toEqual([
    { documentType: "cv", number: 1, versions: 3, uploadedAt: "2026-02-02T00:00:00Z" },
  ]);
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

  expect(shown(candidate)).toMatchObject({ assessments: 3, platformAssessments: 2 });
});
