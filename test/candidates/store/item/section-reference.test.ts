import { describe, expect, test } from "vitest";
import {
  isSectionReference,
  parsePartKey,
  partKeys,
  referencesIn,
  replacedReferences,
  type SectionReference,
  sectionKey,
} from "#candidates/store/item/section-reference";

const aReference = (overrides: Partial<SectionReference> = {}): SectionReference => ({
  hash: "abc",
  writeId: "write-1",
  parts: 11,
  answerBytes: 1,
  ...overrides,
});

test("the parts of a section are counted from 1, and each is read back as the section's and the write's", () => {
  const keys = partKeys("documents", aReference());

  expect(keys).toEqual(Array.from({ length: 11 }, (_, index) => `PART#documents#abc#write-1#${index + 1}`));
  for (const key of keys) {
    expect(parsePartKey(key)).toEqual({
      sectionKey: sectionKey("documents", aReference()),
      writeId: "write-1",
    });
  }
});

test.each([
  "RECORD",
  "WRITE#write-1",
  "PART#documents#abc#write-1",
  "PART#documents#abc#write-1#",
  "PART#documents#abc#write-1#1x",
  "XPART#documents#abc#write-1#1",
  "PART##abc#write-1#1",
])("%s is no part's key, and belongs to no write", (key) => {
  expect(parsePartKey(key)).toEqual({ sectionKey: key, writeId: "" });
});

test.each([undefined, null, "hash", 1, {}, [], new Uint8Array(1)])("%j is no reference", (attribute) => {
  expect(isSectionReference(attribute)).toBe(false);
  expect(referencesIn({ attribute })).toEqual([]);
});

describe("a reference is replaced", () => {
  const before = { documents: aReference(), headline: "x" };

  test.each<[string, object]>([
    ["by nothing", {}],
    ["by a member that has room", { documents: new Uint8Array(1) }],
    ["by other content", { documents: aReference({ hash: "def" }) }],
    ["by another write of the same content", { documents: aReference({ writeId: "write-2" }) }],
    ["by one of another section", { media: aReference() }],
  ])("%s", (_what, after) => {
    expect(replacedReferences(before, after)).toEqual([["documents", aReference()]]);
  });

  test("not by itself", () => {
    expect(replacedReferences(before, { documents: aReference(), headline: "y" })).toEqual([]);
  });
});
