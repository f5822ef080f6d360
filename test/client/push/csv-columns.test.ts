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
    [" true ", true],
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

test("a CSV line with more or fewer cells than headings is an object of its cells, which no push accepts", () => {
  const read = submissionReader(REQUIRED, layout);

  expect(read(["ext-1", "Ada"])).toEqual({
    value: { cells: ["ext-1", "Ada"] },
    problem: "the row has 2 cells, but 6 are expected",
  });
  expect(read(["bad"]).problem).toBe("the row has 1 cell, but 6 are expected");
  expect(CandidateSubmission.safeParse({ ...ADA, cells: ["ext-1"] }).success).toBe(false);
});
