import { describe, expect, test } from "vitest";
import { columnMembers } from "../../../client/push/csv-headings.ts";

const REQUIRED = ["externalId", "firstName", "lastName", "email", "countryOfResidence", "consentGiven"];
const VALUES = ["ext-1", "Ada", "Lovelace", "ada@example.com", "GB", "true"];
const layout = { delimiter: ",", columns: {} };

test.each([
  ["an unknown member", [...REQUIRED, "favouriteColour"], /"favouriteColour" is not a member/],
  ["an unknown member further in", [...REQUIRED, "skills[0].level"], /not a member/],
  ["an item of what is no list", [...REQUIRED, "email[0]"], /not a member/],
  ["a member of what is no object", [...REQUIRED, "email.host"], /not a member/],
  ["a heading that is none", [...REQUIRED, "skills[].name"], /not a member/],
  ["items by a word that begins with a digit", [...REQUIRED, "tags.1st", "tags.2nd"], /not members/],
  ["an empty heading", [...REQUIRED, ""], /not a member/],
  ["one that contains the delimiter", [...REQUIRED, "Phone, mobile"], /not a member/],
  ["a member of every object", [...REQUIRED, "__proto__"], /not a member/],
  ["a member twice", [...REQUIRED, "phone", "phone"], /contain the same member\. Remove one\.$/],
  [
    "a member and a part of it",
    [...REQUIRED, "skills[0].name", "skills"],
    /contain the same member\. Remove one, or map it to null in a --columns file\.$/,
  ],
  ["a part of a member and the member", [...REQUIRED, "skills", "skills[0].name"], /contain the same member/],
  [
    "no column for what is required",
    ["externalId", "email"],
    /missing: firstName, lastName, countryOfResidence/,
  ],
  [
    "more than a sheet of Excel has",
    [...REQUIRED, ...Array.from({ length: 16_379 }, (_, at) => `skills[${at}].name`)],
    /^The first line has 16,385 columns, more than the 16,384 of an Excel sheet\./,
  ],
  ["one that is very long", [...REQUIRED, "x".repeat(2_000_000)], /is not a member/],
])("CSV headings are refused: %s", (_, headings, message) => {
  expect(() => columnMembers(headings, layout)).toThrow(message);
});

test("a CSV heading that is mapped may contain another delimiter", () => {
  const columns = { "Phone; mobile": "phone" };

  expect(columnMembers([...REQUIRED, "Phone; mobile "], { ...layout, columns }).at(-1)?.path).toEqual([
    "phone",
  ]);
});

describe("CSV headings that are no members", () => {
  function reading(headings: readonly string[], columns: Record<string, string | null> = {}) {
    return () => columnMembers(headings, { ...layout, columns });
  }

  test("are reported together, each with the member that it resembles", () => {
    const headings = ["externalId", "First Name", "last_nmae", "E-MAIL", "skills[2].nam", "Remarks"];

    expect(reading(headings)).toThrow(
      'The columns "First Name" (did you mean firstName?), "last_nmae" (did you mean lastName?), "E-MAIL" (did you mean email?), "skills[2].nam" (did you mean skills[0].name?), "Remarks" are not members of a candidate. Rename them, or map them in a --columns file.',
    );
  });

  test.each([
    ["Consent", "consentGiven"],
    ["first", "firstName"],
    ["Country", "countryOfResidence"],
    ["consens", "consents"],
    ["las", undefined],
  ])("are reported with the required member that they begin: %s", (heading, member) => {
    const like = member ? ` (did you mean ${member}?)` : "";

    expect(reading(["externalId", heading])).toThrow(`The column "${heading}"${like} is not a member`);
  });

  test("are reported with their numbers if they are empty", () => {
    expect(reading([...REQUIRED, "", "phone", " "])).toThrow(
      'The columns "" (numbers 7, 9) are not members of a candidate. Remove them, or map "" to null in a --columns file.',
    );
    expect(reading([...REQUIRED, ...Array.from({ length: 400 }, () => "")])).toThrow(
      'The columns "" (numbers 7, 8, 9, 10, 11 and 395 more) are not members of a candidate. Remove them, or',
    );
    expect(reading([...REQUIRED, "", " "], { "": null })).not.toThrow();
    expect(reading([...REQUIRED, "", "Remarks"])).toThrow(
      'The columns "" (number 7), "Remarks" are not members of a candidate. Rename them, or map them in a --columns file.',
    );
    expect(reading([...REQUIRED, ""], { "": "notes" })).toThrow(
      'The column "" (number 7; mapped to "notes") is not a member of a candidate.',
    );
  });

  test("because of the mapping are reported as the mapping's", () => {
    expect(reading([...REQUIRED, "Mail"], { Mail: "emial", Phone: null })).toThrow(
      'The column "Mail" (mapped to "emial"; did you mean email?) is not a member of a candidate. Correct the --columns file. The --columns file maps headings that the first line lacks: "Phone".',
    );
  });

  test("and that the mapping misspells are reported with the mapping's headings", () => {
    expect(reading([...REQUIRED, "Remarks"], { Remark: null })).toThrow(
      'map it in a --columns file. The --columns file maps headings that the first line lacks: "Remark".',
    );
  });

  test("are reported as the mapping's also if none resembles a member", () => {
    expect(reading(["Remarks"], { Remarks: "notes" })).toThrow(
      'The column "Remarks" (mapped to "notes") is not a member of a candidate. Correct the --columns file.',
    );
  });

  test("are not repeated if the first line may be a row", () => {
    expect(reading(VALUES)).toThrow(/^The first line contains no column of a candidate\./);
    // A name that resembles a member.
    expect(reading(["c-1", "Summer", "emil@example.com"])).toThrow(/^The first line contains no column/);
  });
});
