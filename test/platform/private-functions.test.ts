import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../local/fixture-assembly.ts";
import { onPrivateFunctions, withCredentials, withDataDirectory } from "./running-command.ts";

const LIST = ["keys", "list", "--org", "org-1"];

test.each(['{"invokeUrl": "http://127', "{}", ""])(
  "credentials that are %j end with a remedy",
  async (text) => {
    const { folder, ...ended } = await withCredentials(LIST, text);

    expect(ended).toEqual({
      code: 1,
      stdout: "",
      stderr: `${join(folder, "credentials.json")} cannot be read. npm start writes it again.\n`,
    });
  },
);

test("a local stack that does not respond is named by its address", async () => {
  // Port 9 (discard) is not served on loopback.
  const ended = await withCredentials(LIST, JSON.stringify({ invokeUrl: "http://127.0.0.1:9" }));

  expect(ended).toMatchObject({
    code: 1,
    stdout: "",
    stderr: "The local stack does not respond at http://127.0.0.1:9. Start it with npm start.\n",
  });
});

test("missing credentials have another message than those that cannot be read", async () => {
  const folder = await temporaryFolder();

  const missing = await withDataDirectory(LIST, folder);
  await mkdir(join(folder, "credentials.json"));
  const unreadable = await withDataDirectory(LIST, folder);

  expect(missing).toMatchObject({ code: 1, stderr: expect.stringMatching(/^There is no .+ npm start/) });
  expect(unreadable).toMatchObject({
    code: 1,
    stderr: `${join(folder, "credentials.json")} cannot be read (EISDIR). It must be a file that you may read: correct that, or choose an --environment.\n`,
  });
});

test.each(['{"data": 1}', "<html>", ""])(
  "a function that responds with %j ends with a remedy",
  async (text) => {
    const { code, stdout, stderr } = await onPrivateFunctions(LIST, () => text);

    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(
      /^The response of CandidateService-development-list-api-keys is not one that this version .+ expects\. The function has run: .+\n$/,
    );
  },
);
