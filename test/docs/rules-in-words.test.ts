import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { CandidateSubmission } from "#contract/candidate-submission";
import { aDocument, aSubmission, type SubmissionBody } from "../builders/submission.ts";
import { judgeText, problemsOf } from "../contract/judge.ts";
import { description } from "./description.ts";

const general = description.info.description ?? "";
const members = (name: string) => JSON.stringify(description.components?.schemas?.[name]);
const textOf = (overrides: Partial<SubmissionBody>) => JSON.stringify(aSubmission(overrides));
const withMinimum = (minimum: string) =>
  textOf({ jobPreferences: { salaryExpectation: { currency: "GBP", min: 12.5 } } }).replace("12.5", minimum);
const withVersions = (...versions: number[]) => {
  const document = aDocument();
  return textOf({
    documents: [
      { ...document, versions: versions.map((version) => ({ ...document.versions[0], version })) },
    ] as SubmissionBody["documents"],
  });
};

// A validator of JSON Schema accepts these bodies, so integrators learn of each rule by reading.
test.each([
  ["numbers beyond a double", general, /\bdouble\b.*`1e400`.*refused/, withMinimum("1e400")],
  ["unpaired surrogates", general, /lone surrogates are refused/, textOf({ firstName: "\ud83d" })],
  ["days that do not exist", general, /valid calendar dates/, textOf({ dateOfBirth: "2023-02-29" })],
  ["schemes of scripts", members("Link"), /except `javascript:` and `vbscript:`/, withLink("javascript:a")],
  ["repeated versions", members("Document"), /numbers are unique within/, withVersions(1, 1)],
  ["a current version that is none", members("Document"), /one of `versions\[\]/, withVersions(2)],
])("the description says that %s are refused, and they are", (_rule, text, sentence, body) => {
  expect(text).toMatch(sentence);
  expect(problemsOf(judgeText(CandidateSubmission, body))).toHaveLength(1);
});

test("the guide to limits says which numbers are refused, as the description does", () => {
  expect(readFileSync("docs/guides/limits.md", "utf8")).toMatch(/^\| number \| .*double.*`1e400` is not/m);
});

function withLink(url: string): string {
  return textOf({ links: [{ type: "other", url }] });
}
