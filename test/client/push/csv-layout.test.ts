import { expect, test } from "vitest";
import { aCandidateService } from "./candidate-service.ts";
import { aFile } from "./files.ts";
import { environmentOf, push } from "./run-push.ts";

test("candidates push reads a column mapping with a byte order mark", async () => {
  const file = await aFile(
    "rows.csv",
    "externalId,firstName,lastName,Mail,countryOfResidence,consentGiven\n1,Ada,Lovelace,ada@example.com,GB,true\n",
  );
  const columns = await aFile("columns.json", '\uFEFF{"Mail":"email"}');

  const { code, stdout } = await push([file, "--dry-run", "--columns", columns]);

  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining("1 valid.") });
});

test("candidates push ignores spaces around the headings of a column mapping, as around those of the file", async () => {
  const file = await aFile(
    "rows.csv",
    "externalId,firstName,lastName,Mail ,countryOfResidence,consentGiven,headline \n1,Ada,Lovelace,ada@example.com,GB,true,secret\n",
  );
  const columns = await aFile("columns.json", '{"Mail ":"email"," headline":null}');
  const service = await aCandidateService();

  const { code, stdout } = await push([file, "--columns", columns], { env: environmentOf(service) });

  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/: 1 created\.\n$/) });
  expect(service.candidates.get("1")).not.toHaveProperty("headline");
});

test("candidates push says which headings of the column mapping the file lacks, in a dry run too", async () => {
  const service = await aCandidateService();
  const file = await aFile(
    "rows.csv",
    "externalId,firstName,lastName, Mail ,countryOfResidence,consentGiven\n1,Ada,Lovelace,ada@example.com,GB,true\n",
  );
  const columns = await aFile("columns.json", '{"Mail":"email","Mobile":"phone","Remarks":null}');
  const args = [file, "--columns", columns];

  for (const given of [args, [...args, "--dry-run"]]) {
    const { code, stdout } = await push(given, { env: environmentOf(service) });

    expect(code).toBe(0);
    expect(stdout.split("\n").slice(-2)).toEqual([
      'The --columns file maps headings that the first line lacks: "Mobile", "Remarks".',
      "",
    ]);
  }
});
