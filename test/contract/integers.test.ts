import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { oas31 } from "zod-openapi";
import { CandidateSubmission } from "#contract/candidate-submission";
import { aDocument, aSubmission } from "../builders/submission.ts";
import { description } from "../docs/description.ts";
import { judge, judgeText, problemsOf } from "./judge.ts";

const MOST = Number.MAX_SAFE_INTEGER;
const uploadedAt = "2026-01-01T00:00:00Z";
const aVersion = (members: object) => ({ version: 1, url: "https://example.com/x", uploadedAt, ...members });
const aMedium = (members: object) => ({ kind: "audio", assetKey: "k", ...members });

/** Every integer of the contract's tables, with its bounds and a submission that holds it. */
const integers = [
  [
    "Skill.lastUsedYear",
    1950,
    2100,
    (lastUsedYear: unknown) => ({ skills: [{ name: "x", yearsExperience: 1, lastUsedYear }] }),
  ],
  [
    "Document.currentVersion",
    1,
    MOST,
    (currentVersion: unknown) => ({
      documents: [aDocument({ currentVersion, versions: [aVersion({ version: currentVersion })] } as object)],
    }),
  ],
  [
    "DocumentVersion.version",
    1,
    MOST,
    (version: unknown) => ({
      documents: [aDocument({ currentVersion: version, versions: [aVersion({ version })] } as object)],
    }),
  ],
  [
    "DocumentVersion.sizeBytes",
    0,
    524_288_000,
    (sizeBytes: unknown) => ({
      documents: [aDocument({ currentVersion: 1, versions: [aVersion({ sizeBytes })] } as object)],
    }),
  ],
  ["MediaItem.sizeBytes", 0, 524_288_000, (sizeBytes: unknown) => ({ media: [aMedium({ sizeBytes })] })],
  ["MediaItem.width", 0, MOST, (width: unknown) => ({ media: [aMedium({ width })] })],
  ["MediaItem.height", 0, MOST, (height: unknown) => ({ media: [aMedium({ height })] })],
] as const;

describe.each(integers)("%s", (name, minimum, maximum, holding) => {
  const [, member = ""] = name.split(".");
  const problemsOfValue = (value: unknown) =>
    problemsOf(judge(CandidateSubmission, { ...aSubmission(), ...holding(value) }));

  test("accepts exactly the integers within its bounds", () => {
    const nearby = fc
      .tuple(
        fc.constantFrom(minimum, maximum, 2020),
        fc.integer({ min: -2, max: 2 }),
        fc.constantFrom(0, 1e-20, 1e-12, 0.5),
      )
      .map(([bound, steps, fraction]) => bound + steps + fraction);
    const slightlyMore = fc.integer({ min: minimum, max: 2100 }).map((value) => value * (1 + Number.EPSILON));
    const anyNumber = fc.double({ noNaN: true, noDefaultInfinity: true });

    fc.assert(
      fc.property(fc.oneof(nearby, slightlyMore, anyNumber, fc.maxSafeInteger()), (value) => {
        const isTaken = Number.isInteger(value) && value >= minimum && value <= maximum;

        expect(problemsOfValue(value).length === 0, String(value)).toBe(isTaken);
      }),
      { numRuns: 500 },
    );
  });

  test.each([minimum - 1, maximum + 1, minimum + 0.5, "1"])(
    "is refused with its bounds in the message for %j",
    (value) => {
      expect(problemsOfValue(value)).toContainEqual(
        expect.stringMatching(
          new RegExp(`${member}: a whole number from ${minimum} to ${maximum}(?:, or null,)? is expected$`),
        ),
      );
    },
  );

  test.each([
    [`${minimum}.0`, true],
    [`${minimum}e0`, true],
    ["1e400", false],
    ["9007199254740993", false],
  ])("written as %s is accepted: %s", (written, isTaken) => {
    const text = JSON.stringify({ ...aSubmission(), ...holding("HERE") }).replaceAll('"HERE"', written);

    expect(problemsOf(judgeText(CandidateSubmission, text)).length === 0).toBe(isTaken);
  });
});

test("a negative zero is read as zero, in whole numbers and others", () => {
  const submission = { ...aSubmission(), media: [aMedium({ width: -0, durationSeconds: -0 })] };

  expect(CandidateSubmission.parse(submission).media).toEqual([
    expect.objectContaining({ width: 0, durationSeconds: 0 }),
  ]);
});

test("every whole number of the contract is tested for its bounds", () => {
  const schemas = Object.entries(
    (description.components?.schemas ?? {}) as Record<string, oas31.SchemaObject>,
  );
  const requested = schemas.filter(([, { additionalProperties }]) => additionalProperties === false);
  const found = requested.flatMap(([name, { properties = {} }]) =>
    Object.entries(properties as Record<string, oas31.SchemaObject>)
      .filter(([, { type }]) => [type].flat().includes("integer"))
      .map(([member]) => `${name}.${member}`),
  );

  expect(found).toEqual(integers.map(([name]) => name));
});
