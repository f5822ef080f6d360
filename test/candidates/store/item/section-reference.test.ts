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
  responseBytes: 1,
  ...overrides,
});

test("part keys are numbered from 1 and parsed into section and write", () => {
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
])("the sort key %s is not parsed as a part's", (key) => {
  expect(parsePartKey(key)).toEqual({ sectionKey: key, writeId: "" });
});

test.each([undefined, null, "hash", 1, {}, [], new Uint8Array(1)])(
  "the attribute %j is not a section reference",
  (attribute) => {
    expect(isSectionReference(attribute)).toBe(false);
    expect(referencesIn({ attribute })).toEqual([]);
  },
);

describe("a section reference is replaced", () => {
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

  test("unless it is unchanged", () => {
    expect(replacedReferences(before, { documents: aReference(), headline: "y" })).toEqual([]);
  });
});
