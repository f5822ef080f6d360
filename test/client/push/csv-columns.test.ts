import { describe, expect, test } from "vitest";
import { CandidateSubmission } from "#contract/candidate-submission";
import { submissionReader } from "../../../client/push/csv-columns.ts";
import { aFullSubmission } from "../../builders/submission.ts";

const REQUIRED = ["externalId", "firstName", "lastName", "email", "countryOfResidence", "consentGiven"];
const VALUES = ["ext-1", "Ada", "Lovelace", "ada@example.com", "GB", "true"];
const ADA = {
  externalId: "ext-1",
  firstName: "Ada",
  lastName: "Lovelace",
  email: "ada@example.com",
  countryOfResidence: "GB",
  consentGiven: true,
};
const layout = { delimiter: ",", columns: {} };

/** What a line with these further columns is read as, beside the required members. */
function readWith(columns: Readonly<Record<string, string>>, options: object = {}) {
  const read = submissionReader([...REQUIRED, ...Object.keys(columns)], { ...layout, ...options });
  return read([...VALUES, ...Object.values(columns)]).value;
}

/** Every leaf of a submission as a column: the heading it has, and its cell. */
function flattened(value: unknown, path = ""): [string, string][] {
  if (Array.isArray(value)) return value.flatMap((item, at) => flattened(item, `${path}[${at}]`));
  if (typeof value === "object" && value !== null) {
    return Object.entries(value).flatMap(([name, member]) =>
      flattened(member, path === "" ? name : `${path}.${name}`),
    );
  }
  return [[path, String(value)]];
}

test("every member of the contract has its own CSV column", () => {
  const submission = aFullSubmission();
  const columns = flattened(submission);

  const read = submissionReader(
    columns.map(([heading]) => heading),
    layout,
  );

  expect(read(columns.map(([, cell]) => cell)).value).toEqual(submission);
  expect(Object.keys(submission).sort(), "`aFullSubmission` in test/builders").toEqual(
    Object.keys(CandidateSubmission.shape).sort(),
  );
});

test("a CSV column for a whole list or object contains JSON", () => {
  const { skills, address, tags } = aFullSubmission();

  expect(
    readWith({
      skills: JSON.stringify(skills),
      address: JSON.stringify(address),
      tags: JSON.stringify(tags),
      workHistory: "none",
    }),
  ).toEqual({ ...ADA, skills, address, tags, workHistory: "none" });
});

describe("a CSV cell", () => {
  test("that is not JSON although its column is of a whole list is reported as such, without the cell", () => {
    const read = submissionReader([...REQUIRED, "skills", "tags", "links"], layout);

    const { problem } = read([...VALUES, '[{"name":"Analysis",}]', "pioneer", "[]"]);

    expect(problem).toMatch(/^skills: the cell is not JSON, or .*; tags: the cell is not JSON, /);
    expect(problem).not.toMatch(/Analysis|pioneer|links/);
  });

  test("that is empty is an absent member, and a list item of empty cells is absent", () => {
    expect(
      readWith({
        headline: "",
        "address.city": "",
        "tags[0]": "",
        "tags[1]": "b",
        "tags[12]": "c",
        "skills[0].name": "",
        "skills[1].name": "Analysis",
      }),
    ).toEqual({ ...ADA, tags: ["b", "c"], skills: [{ name: "Analysis" }] });
  });

  test("of a string member is kept exactly", () => {
    expect(readWith({ phone: " 0049 ", headline: "null", "tags[0]": "12", summary: "true" })).toEqual({
      ...ADA,
      phone: " 0049 ",
      headline: "null",
      tags: ["12"],
      summary: "true",
    });
  });

  test.each([
    ["12", 12],
    ["12.5", 12.5],
    [" 7 ", 7],
    ["1e2", 100],
    ["-1", -1],
    ["12,5", "12,5"],
    ["0x10", "0x10"],
    ["many", "many"],
  ])("of a number member is read as a number if it is one: %s", (cell, value) => {
    expect(readWith({ "skills[0].yearsExperience": cell })).toMatchObject({
      skills: [{ yearsExperience: value }],
    });
  });

  test.each([
    ["true", true],
    ["FALSE", false],
    ["yes", "yes"],
    ["1", "1"],
    ["constructor", "constructor"],
    ["__proto__", "__proto__"],
  ])("of a boolean member is read as a boolean if it is one: %s", (cell, value) => {
    expect(readWith({ "jobPreferences.openToRemote": cell })).toMatchObject({
      jobPreferences: { openToRemote: value },
    });
  });

  test("is null only if it contains the text of --null", () => {
    expect(readWith({ headline: "NULL", summary: "null" }, { nullText: "NULL" })).toEqual({
      ...ADA,
      headline: null,
      summary: "null",
    });
  });
});

test("a column mapping renames CSV headings and omits columns", () => {
  const columns = { "E-Mail 2": null, Berufserfahrung: "skills[0].yearsExperience", Skill: "skills[0].name" };

  expect(readWith({ "E-Mail 2": "x", Berufserfahrung: "3", " Skill ": "Go" }, { columns })).toEqual({
    ...ADA,
    skills: [{ name: "Go", yearsExperience: 3 }],
  });
});

test.each([
  ["an unknown member", [...REQUIRED, "favouriteColour"], /"favouriteColour" is not a member/],
  ["an unknown member further in", [...REQUIRED, "skills[0].level"], /not a member/],
  ["an item of what is no list", [...REQUIRED, "email[0]"], /not a member/],
  ["a member of what is no object", [...REQUIRED, "email.host"], /not a member/],
  ["a heading that is none", [...REQUIRED, "skills[].name"], /not a member/],
  ["an empty heading", [...REQUIRED, ""], /not a member/],
  ["a member of every object", [...REQUIRED, "__proto__"], /not a member/],
  ["a member twice", [...REQUIRED, "phone", "phone"], /contain the same member\. Remove one\.$/],
  [
    "a member and a part of it",
    [...REQUIRED, "skills[0].name", "skills"],
    /contain the same member\. Remove one, or map it to null in a --columns file\.$/,
  ],
  [
    "no column for what is required",
    ["externalId", "email"],
    /missing: firstName, lastName, countryOfResidence/,
  ],
])("CSV headings are refused: %s", (_, headings, message) => {
  expect(() => submissionReader(headings, layout)).toThrow(message);
});

describe("CSV headings that are no members", () => {
  function reading(headings: readonly string[], columns: Record<string, string | null> = {}) {
    return () => submissionReader(headings, { ...layout, columns });
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

test("a CSV line with more or fewer cells than headings is an object of its cells, which no push accepts", () => {
  const read = submissionReader(REQUIRED, layout);

  expect(read(["ext-1", "Ada"])).toEqual({
    value: { cells: ["ext-1", "Ada"] },
    problem: "the row has 2 cells, but 6 are expected",
  });
  expect(read(["bad"]).problem).toBe("the row has 1 cell, but 6 are expected");
  expect(CandidateSubmission.safeParse({ ...ADA, cells: ["ext-1"] }).success).toBe(false);
});
