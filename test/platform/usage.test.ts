import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { run } from "../../platform/run.ts";
import { temporaryFolder } from "../builders/temporary-folder.ts";
import { onPrivateFunctions } from "./running-command.ts";

const ENDPOINT = ["--org", "acme", "--endpoint", `whe_${"0".repeat(26)}`];
const ASSESS = ["candidates", "assess", "--org", "acme", "--id", "staged_1", "--file"];

/** Runs the command with these arguments, and expects that it invokes no function. */
async function refused(args: readonly string[]) {
  let invoked = false;
  const { code, stdout, stderr } = await onPrivateFunctions(args, () => {
    invoked = true;
    return "{}";
  });
  expect([code, stdout, invoked]).toEqual([2, "", false]);
  return stderr;
}

test.each([
  [
    ["deliveries", "list", "--org", "acme", "--endpoint", "whe_1"],
    "--endpoint: a webhook endpoint's id is expected\n",
  ],
  [
    ["deliveries", "list", ...ENDPOINT, "--limit", "abc"],
    "--limit: a whole number from 1 to 100 is expected\n",
  ],
  [
    ["deliveries", "list", ...ENDPOINT, "--after", "evt_x"],
    "--after: the id of the last event of the previous page is expected\n",
  ],
  [
    ["deliveries", "recover", ...ENDPOINT, "--since", "yesterday"],
    "--since: an RFC 3339 date-time with Z or an offset is expected\n",
  ],
  [
    ["keys", "create", "--org", "Acme Ltd", "--name", "x"],
    "--org: an organisation id of 1 to 64 lower-case letters, digits, - and _ is expected\n",
  ],
  [
    ["keys", "create", "--org", "acme", "--name", ""],
    "--name: a string of 1 to 120 characters is expected\n",
  ],
  [
    ["candidates", "show", "--org", "acme", "--external-id", ""],
    "--external-id: a string of 1 to 128 characters is expected\n",
  ],
  [[...ASSESS, "/no/such"], "/no/such cannot be read. Give a file that contains one assessment.\n"],
])("%j is a usage error of one sentence, and invokes nothing", async (args, sentence) => {
  expect(await refused(args)).toBe(sentence);
});

test.each([
  ["no command", []],
  ["an unknown command", ["hire"]],
  ["a missing option", ["keys", "list"]],
  ["an unknown environment", ["--environment", "nowhere", "keys", "list", "--org", "a"]],
  ["a candidate without a name", ["candidates", "show", "--org", "a"]],
  ["a candidate with two names", ["candidates", "show", "--org", "a", "--id", "b", "--external-id", "c"]],
  ...["high", "Infinity", "1e999", "0x10", "", "100.5"].map((score): [string, string[]] => [
    `the score "${score}"`,
    ["candidates", "score", "--org", "a", "--id", "b", "--score", score],
  ]),
  ["an assessment without a file", [...ASSESS, ""]],
  [
    "a reason without a message",
    ["candidates", "fail-validation", "--org", "a", "--id", "b", "--reason", "x"],
  ],
  ["a reason without a code", ["candidates", "fail-validation", "--org", "a", "--id", "b", "--reason", ":y"]],
  [
    "a second reason without its option",
    ["candidates", "fail-validation", "--org", "a", "--id", "b", "--reason", "x:y", "z:w"],
  ],
])("%s is a usage error that shows the usage, and invokes nothing", async (_, args) => {
  expect(await refused(args)).toContain("Usage: platform");
});

test("an assessment that is not in UTF-8 is a usage error, because its identifiers would become others", async () => {
  const file = join(await temporaryFolder(), "assessment.json");
  await writeFile(
    file,
    Buffer.from('{"externalId":"Jos\u00e9","name":"Typing","status":"completed"}', "latin1"),
  );

  expect(await refused([...ASSESS, file])).toBe(
    `${file} is not JSON in UTF-8. Give a file that contains one assessment.\n`,
  );
});

test("an assessment that is invalid is a usage error that names the option", async () => {
  const file = join(await temporaryFolder(), "assessment.json");
  // With a byte order mark, as some editors write it.
  await writeFile(file, `\ufeff${JSON.stringify({ externalId: "a", name: "Typing", status: "done" })}`);

  expect(await refused([...ASSESS, file])).toMatch(/^--file, status: one of scheduled, .+ is expected\n$/);
});

test("a number that JavaScript cannot hold is a usage error, although null in its place would be valid", async () => {
  const file = join(await temporaryFolder(), "assessment.json");
  await writeFile(file, '{ "externalId": "a", "name": "Typing", "status": "completed", "score": 1e400 }');

  expect(await refused([...ASSESS, file])).toBe(
    "--file, score: a number from 0 to 100, or null, is expected\n",
  );
});

test("a fault of the command itself is thrown, not taken for a failure that was reported", async () => {
  const fault = new Error("The stream is closed.");
  const write = () => {
    throw fault;
  };

  await expect(run(["--help"], { stdout: { write }, stderr: { write } })).rejects.toBe(fault);
});
