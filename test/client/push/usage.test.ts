import { readdir } from "node:fs/promises";
import { dirname } from "node:path";
import { describe, expect, test } from "vitest";
import { aCandidateService } from "./candidate-service.ts";
import { aFile } from "./files.ts";
import { environmentOf, push } from "./run-push.ts";

test.each([
  ["rows.ndjson", ""],
  ["rows.json", "[]"],
  ["rows.csv", "externalId,firstName,lastName,email,countryOfResidence,consentGiven\n"],
])("candidates push exits with 2 if there are no rows in %s", async (name, content) => {
  const service = await aCandidateService();
  const file = await aFile(name, content);

  for (const more of [[], ["--dry-run"]]) {
    const { code, stdout, stderr } = await push([file, ...more], { env: environmentOf(service) });

    expect({ code, stdout, stderr }).toEqual({
      code: 2,
      stdout: "",
      stderr: `${file} has no rows. Give a file with at least one candidate.\n`,
    });
    expect(await readdir(dirname(file))).toEqual([name]);
  }
});

describe("candidates push with wrong arguments", () => {
  test.each<[string, string[], string]>([
    ["no file", [], "error: missing required argument 'file'"],
    ["an unknown option", ["rows.csv", "--fast"], "error: unknown option '--fast'"],
  ])("prints the error and a pointer to the help instead of the help (%s)", async (_, args, error) => {
    const { stderr } = await push(args);

    expect(stderr.trim()).toBe(`${error}\nAdd --help to see the arguments and options.`);
  });

  type WrongArguments = [string, (file: string) => string[], RegExp];

  test.each<WrongArguments>([
    ["no file", () => [], /missing required argument/],
    ["a file that is not there", (file) => [`${file}.ndjson`], /cannot be read/],
    ["a file that does not tell its format", (file) => [file], /--format/],
    ["a folder", (file) => [dirname(file), "--format", "csv"], /is not a file\. Give a file, or -/],
    ["no address", (file) => [file, "--format", "csv"], /CANDIDATES_URL/],
    ["no key", (file) => [file, "--format", "csv", "--url", "http://localhost"], /CANDIDATES_API_KEY/],
    [
      "no real address",
      (file) => [file, "--format", "csv", "--url", "x", "--key", "k"],
      /^--url or CANDIDATES_URL: an absolute http or https URL without query, fragment or spaces is expected\n$/,
    ],
    [
      "the address of the operations",
      (file) => [file, "--format", "csv", "--url", "https://api.example.com/development/v1", "--key", "k"],
      /^--url or CANDIDATES_URL: the address without \/v1 is expected, which the client adds\n$/,
    ],
    [
      "no real key",
      (file) => [file, "--format", "csv", "--url", "http://localhost", "--key", "a b"],
      /^--key or CANDIDATES_API_KEY: visible ASCII characters are expected\n$/,
    ],
    ...["--journal", "--refused-file", "--columns"].map(
      (option): WrongArguments => [
        `an empty ${option}`,
        (file) => [file, "--format", "csv", "--dry-run", option, ""],
        new RegExp(
          `^error: option '${option} <file>' argument '' is invalid\\. Give the path of a file\\.\n`,
        ),
      ],
    ),
    ["an unknown format", (file) => [file, "--format", "xml"], /Allowed choices/],
    ["no real concurrency", (file) => [file, "--concurrency", "0"], /from 1 to 64/],
    [
      "columns that are none",
      (file) => [file, "--format", "csv", "--dry-run", "--columns", file],
      /is not a column mapping/,
    ],
    [
      "headings that are none",
      (file) => [file, "--format", "csv", "--dry-run"],
      /^The first line contains no column of a candidate\. It must contain the column headings/,
    ],
    [
      "columns that are not there",
      (file) => [file, "--format", "csv", "--dry-run", "--columns", `${file}.json`],
      /\.json cannot be read \(ENOENT\)\. /,
    ],
    [
      "its own file as another",
      (file) => [file, "--format", "csv", "--dry-run", "--refused-file", file],
      /overwritten/,
    ],
    ...["", ";;", '"', "\n", "\\n"].map(
      (delimiter): WrongArguments => [
        `the delimiter ${JSON.stringify(delimiter)}`,
        (file) => [file, "--format", "csv", "--dry-run", "--delimiter", delimiter],
        /Give one character that is neither a quote nor a line break/,
      ],
    ),
    [
      "no text that means null",
      (file) => [file, "--format", "csv", "--dry-run", "--null", ""],
      /^error: option '--null <text>' argument '' is invalid\. Give a text: an empty cell is always an absent member\.\n/,
    ],
    [
      "options for CSV with another format",
      (file) => [file, "--format", "ndjson", "--dry-run", "--delimiter", ",", "--null", "NULL"],
      /^--delimiter, --null: this is for CSV, but the format is ndjson\. Leave it out, or add --format csv\.\n$/,
    ],
    ["an unknown option", (file) => [file, "--fast"], /unknown option/],
  ])("exits with 2 and says what to do for %s", async (_, args, message) => {
    const file = await aFile("rows.txt", "Name\nAda\n");

    const { code, stdout, stderr } = await push(args(file));

    expect(code).toBe(2);
    expect(stderr).toMatch(message);
    expect(stdout).toBe("");
    expect(await readdir(dirname(file))).toEqual(["rows.txt"]);
  });
});
