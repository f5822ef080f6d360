import { describe, expect, test } from "vitest";
import { packMember } from "#candidates/store/item/member-codec";
import type { SectionReference } from "#candidates/store/item/section-reference";
import {
  isLarge,
  membersWithoutRoom,
  outgrowsResponse,
  responseBytes,
} from "#candidates/store/large/candidate-size";
import { Assessment } from "#contract/assessment";

/** A member in parts that takes so many bytes of a response. */
const inParts = (bytes: number): SectionReference => ({
  hash: "hash",
  writeId: "write-1",
  parts: 1,
  responseBytes: bytes,
});

/** The assessment that takes up most of a response, if all its texts consist of one character. */
function aLargestAssessment(character: string): Assessment {
  const score = 12.345678901234567;
  return Assessment.parse({
    externalId: character.repeat(128),
    provider: "proctor",
    name: character.repeat(200),
    status: "in_progress",
    outcome: "inconclusive",
    score,
    maxScore: Number.MAX_VALUE,
    scoreBand: character.repeat(60),
    competencies: Array(100).fill({ code: character.repeat(64), label: character.repeat(200), score }),
    reportUrl: `https://reports.example/${"x".repeat(2_000)}`,
  });
}

test.each([
  ["abc", '\\"abc\\"'.length],
  [["x".repeat(1_000)], '[\\"\\"]'.length + 1_000],
  [true, 4],
  [['"'], '[\\"\\\\\\"\\"]'.length],
])("a member counts in a response as its JSON escaped in a JSON string: %j", (member, bytes) => {
  expect(responseBytes(packMember(member).stored)).toBe(bytes);
});

describe("a candidate exceeds the largest response", () => {
  const tooMuch = { documents: inParts(3_000_000), assessments: inParts(3_000_000) };

  test("by members that a response contains", () => {
    expect(outgrowsResponse(tooMuch, {}, "create")).toBe(true);
  });

  test.each(["documents_identity_document", "rejections", "email", "consentGiven"])(
    "but not by members that an integrator's read omits: %s",
    (unseen) => {
      const members = { [unseen]: inParts(3_900_000), documents: inParts(3_900_000) };

      expect(outgrowsResponse(members, {}, "create")).toBe(false);
    },
  );

  test("but not by a change that does not make it larger", () => {
    const smaller = { ...tooMuch, assessments: inParts(2_999_999) };

    expect(outgrowsResponse(smaller, tooMuch, "amend")).toBe(false);
    expect(outgrowsResponse(tooMuch, tooMuch, "amend")).toBe(false);
    expect(outgrowsResponse(tooMuch, smaller, "amend")).toBe(true);
  });

  test("earlier by an amend than by the platform, so that assessments still fit", () => {
    const full = { documents: inParts(5_400_000) };
    const more = { ...full, platformAssessments: inParts(500_000) };

    expect(outgrowsResponse(full, {}, "amend")).toBe(false);
    expect(outgrowsResponse({ documents: inParts(5_400_001) }, {}, "amend")).toBe(true);
    expect(outgrowsResponse(more, full, "platform")).toBe(false);
    expect(outgrowsResponse({ ...more, tags: inParts(1) }, more, "platform")).toBe(true);
  });

  test.each([
    ["control characters", "\u0001", 2],
    ["quotation marks", '"', 4],
    ["emoji", "\u{1f600}", 4],
  ])("and of assessments that are as large as can be, of %s, some still fit", (_, character, fitting) => {
    const full = { documents: inParts(5_400_000) };
    const withAssessments = (count: number) => ({
      ...full,
      platformAssessments: packMember(Array(count).fill(aLargestAssessment(character))).stored,
    });

    expect(outgrowsResponse(withAssessments(fitting), full, "platform")).toBe(false);
    expect(outgrowsResponse(withAssessments(fitting + 1), full, "platform")).toBe(true);
  });
});

describe("an amend reads the candidate first", () => {
  const compressible = (bytes: number) => packMember("x".repeat(bytes)).stored;

  test("if compressed members take up much of a response", () => {
    const much = compressible(3_300_000);

    expect(isLarge({ documents: much })).toBe(true);
    expect(isLarge({ documents: compressible(3_300_000 - '\\"\\"'.length) })).toBe(false);
    expect(isLarge({ documents: compressible(3_300_001 - '\\"\\"'.length) })).toBe(true);
    expect(isLarge({ documents_identity_document: much })).toBe(false);
  });

  test("if one of its members is stored in parts", () => {
    expect(isLarge({ documents: inParts(1) })).toBe(true);
  });
});

describe("the members moved out of an item into parts", () => {
  const INLINE_BYTES = 256 * 1024;
  const packed = (bytes: number) => new Uint8Array(bytes);

  test("are none as long as all members fit, names included", () => {
    const documents = packed(INLINE_BYTES - "documents".length);

    expect(membersWithoutRoom({ documents })).toEqual([]);
    expect(membersWithoutRoom({ documents: packed(documents.length + 1) })).toHaveLength(1);
  });

  test("are the largest compressed ones, as many as necessary", () => {
    const [small, large, larger] = [packed(90_000), packed(200_000), packed(300_000)];
    const members = { small, larger, plain: "x".repeat(400_000), referred: inParts(5_000_000), large };

    expect(membersWithoutRoom(members)).toEqual([
      ["larger", larger],
      ["large", large],
      ["small", small],
    ]);
    expect(membersWithoutRoom({ small, larger, large: packed(160_000) })).toEqual([["larger", larger]]);
  });
});
