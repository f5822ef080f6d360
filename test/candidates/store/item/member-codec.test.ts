import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isStored, packMember, unpackMember } from "#candidates/store/item/member-codec";
import { anySubmission } from "../../../contract/cases.ts";

describe("a stored member", () => {
  test("reads back as the JSON value it was", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }).filter(isStored), (value) => {
        expect(roundTrip(value)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  test("reads back unchanged, for every member of any submission", () => {
    fc.assert(
      fc.property(anySubmission, (body) => {
        for (const value of Object.values(body).filter(isStored)) expect(roundTrip(value)).toEqual(value);
      }),
    );
  });

  test.each([
    [[1.7976931348623157e308, 5e-324, 2 ** 53 - 1, -(2 ** 53 - 1), 0.1, 1e21, 123456789.12345678]],
    [{ max: 1e300 }],
    ["(starts like compressed bytes"],
    ["("],
    [""],
    ["x".repeat(5000)],
    ["\u{1F600}".repeat(5000)],
    ["\u0000".repeat(5000)],
    [false],
    [true],
    [{}],
    [[{}]],
    [{ isCurrent: false, endDate: null, tags: [] }],
  ])("keeps %j exactly", (value) => {
    expect(roundTrip(value)).toStrictEqual(value);
  });

  test.each([127, 128, 129, 400, 5000])(
    "keeps a string of %i characters, below and above the compression threshold",
    (length) => {
      const texts = ["x".repeat(length), "é".repeat(length), "\u{1F600}".repeat(length)];

      expect(texts.map(roundTrip)).toEqual(texts);
    },
  );

  test("is far smaller than its JSON if that is repetitive", () => {
    const workHistory = Array(40).fill({ employer: "Analytical Engines Ltd", description: "x".repeat(1000) });

    const packed = packMember(workHistory).stored as Uint8Array;

    expect(packed.byteLength).toBeLessThan(JSON.stringify(workHistory).length / 20);
  });
});

describe("the stored form of a member", () => {
  const JSON_TEXT = /^[[{"]/;
  const formOf = (value: unknown) => {
    const { stored } = packMember(value);
    if (!(stored instanceof Uint8Array)) return "as it is";
    return JSON_TEXT.test(Buffer.from(stored).toString("latin1")) ? "JSON" : "compressed JSON";
  };

  // Each printable ASCII character but for those that JSON escapes, and some once more.
  const printable = String.fromCharCode(...Array.from({ length: 92 }, (_, index) => 0x23 + index)).replace(
    "\\",
    "",
  );
  const incompressible = printable + [...printable].reverse().slice(0, 40).join("");

  test.each<[string, unknown, string]>([
    ["a truth value", true, "as it is"],
    ["a text of 127 characters", "x".repeat(127), "as it is"],
    ["a text of 128 characters", "x".repeat(128), "compressed JSON"],
    ["a list whose JSON takes 127 bytes", ["x".repeat(123)], "JSON"],
    ["a list whose JSON takes 128 bytes", ["x".repeat(124)], "compressed JSON"],
    ["a text that compression makes longer", incompressible, "JSON"],
  ])("is chosen by size for %s", (_what, value, form) => {
    expect(formOf(value)).toBe(form);
  });
});

describe("a member with the value", () => {
  test.each([[""], [false], [0], [{}], [[null]], [[""]]])("%j is stored", (value) => {
    expect(isStored(value)).toBe(true);
  });

  test.each([[undefined], [null], [[]]])(
    "%j is not stored, and reads back like an absent member",
    (value) => {
      expect(isStored(value)).toBe(false);
    },
  );
});

/** Through the codec, with bytes as DynamoDB gives them back: not a Buffer. */
function roundTrip(value: unknown): unknown {
  const packed = packMember(value).stored;
  return unpackMember(packed instanceof Uint8Array ? Uint8Array.from(packed) : packed);
}
