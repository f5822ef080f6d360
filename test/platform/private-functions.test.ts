import { join } from "node:path";
import { expect, test } from "vitest";
import { onPrivateFunctions, withCredentials } from "./running-command.ts";

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

test.each(['{"data": 1}', "<html>", ""])(
  "a function that responds with %j ends with a remedy",
  async (text) => {
    const { code, stdout, stderr } = await onPrivateFunctions(LIST, () => text);

    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(
      /^The response of CandidateService-development-list-api-keys is not one that this version .+ expects\. If .+\n$/,
    );
  },
);
