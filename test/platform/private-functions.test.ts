import { mkdir } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { LambdaClient, ServiceException, TooManyRequestsException } from "@aws-sdk/client-lambda";
import { expect, onTestFinished, test, vi } from "vitest";
import { inAwsAccount } from "../builders/aws-account.ts";
import { listening } from "../builders/listening.ts";
import { temporaryFolder } from "../builders/temporary-folder.ts";
import { onPrivateFunctions, withCredentials, withDataDirectory } from "./running-command.ts";

const LIST = ["keys", "list", "--org", "org-1"];

test.each(['{"invokeUrl": "http://127', "{}", ""])(
  "credentials that are %j end with a remedy",
  async (text) => {
    const { folder, ...ended } = await withCredentials(LIST, text);

    expect(ended).toEqual({
      code: 1,
      stdout: "",
      stderr: `${join(folder, "credentials.json")} is damaged. Correct it, or delete it and restart the local stack, which issues new keys.\n`,
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

test("a local stack is called whatever the developer's settings for AWS are", async () => {
  vi.stubEnv("AWS_USE_FIPS_ENDPOINT", "true");
  vi.stubEnv("AWS_USE_DUALSTACK_ENDPOINT", "true");

  const key = { keyId: "key_1", orgId: "org-1", name: "sync", createdAt: "2026-01-01T00:00:00.000Z" };
  const { code, stderr } = await onPrivateFunctions(LIST, () => JSON.stringify({ data: [key] }));

  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
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

/** Lambda as a caller sees it whose response is lost: it has the whole request, and the connection ends. */
async function losingResponses() {
  const received: unknown[] = [];
  const server = createServer(async (request) => {
    received.push(JSON.parse(Buffer.concat(await Array.fromAsync(request)).toString("utf8")));
    request.socket.destroy();
  });
  return { url: await listening(server), received };
}

// What was lost may be the response to a key that was issued: a repetition would issue another.
test.each([
  ["the local stack", []],
  ["an environment", ["--environment", "development"]],
])(
  "a private function of %s is invoked once, although its response is lost, and may have run",
  async (_where, options) => {
    const { url, received } = await losingResponses();
    inAwsAccount("LAMBDA", url);
    const create = [...options, "keys", "create", "--org", "org-1", "--name", "sync"];

    const { code, stdout, stderr } = await withCredentials(create, JSON.stringify({ invokeUrl: url }));

    expect({ code, stdout, stderr }).toEqual({
      code: 1,
      stdout: "",
      stderr:
        "The response of CandidateService-development-issue-api-key was lost (socket hang up). The function may have run: see what it has done before you repeat the command.\n",
    });
    expect(received).toEqual([{ orgId: "org-1", name: "sync" }]);
  },
);

/** How Node fails to connect to a host name with several addresses: no system call in it, and no message. */
function notConnected() {
  const errors = ["ETIMEDOUT 192.0.2.1:443", "ECONNREFUSED 192.0.2.2:443"].map((reason) =>
    Object.assign(new Error(`connect ${reason}`), { syscall: "connect", code: reason.split(" ")[0] }),
  );
  return Object.assign(new AggregateError(errors), { name: "TimeoutError", code: "ETIMEDOUT" });
}

/** How Node fails on a connection to one address, in this system call. */
const failedIn = (syscall: string, code: string) =>
  Object.assign(new Error(`${syscall} ${code}`), { name: "Error", syscall, code });

const REFUSED = { message: "Rate Exceeded.", $metadata: { httpStatusCode: 429 } };
const FAULT = { message: "Internal error.", $metadata: { httpStatusCode: 500 } };

test.each([
  [
    "that no address was reached",
    notConnected(),
    "could not be invoked (TimeoutError: connect ETIMEDOUT 192.0.2.1:443, connect ECONNREFUSED 192.0.2.2:443). Check your AWS credentials and AWS_REGION.",
  ],
  [
    "that the only address was not reached",
    failedIn("connect", "ETIMEDOUT"),
    "could not be invoked (Error: connect ETIMEDOUT). Check your AWS credentials and AWS_REGION.",
  ],
  [
    "that the connection broke while it was written to",
    failedIn("write", "EPIPE"),
    "was lost (write EPIPE). The function may have run: see what it has done before you repeat the command.",
  ],
  [
    "that the connection broke while the response was awaited",
    failedIn("read", "ETIMEDOUT"),
    "was lost (read ETIMEDOUT). The function may have run: see what it has done before you repeat the command.",
  ],
  [
    "that Lambda refused the rate",
    new TooManyRequestsException(REFUSED),
    "was throttled (Rate Exceeded.) and has not run. Repeat the command later.",
  ],
  [
    "that Lambda failed",
    new ServiceException(FAULT),
    "was lost (Internal error.). The function may have run: see what it has done before you repeat the command.",
  ],
])("a message says %s, and whether the function may have run", async (_what, error, problem) => {
  inAwsAccount("LAMBDA", "http://127.0.0.1:9");
  vi.spyOn(LambdaClient.prototype, "send").mockImplementation(() => Promise.reject(error));
  onTestFinished(() => void vi.restoreAllMocks());

  const { code, stderr } = await withCredentials(["--environment", "development", ...LIST], "");

  expect(code).toBe(1);
  expect(stderr).toMatch(/^(?:The response of )?CandidateService-development-list-api-keys /);
  expect(stderr).toContain(`CandidateService-development-list-api-keys ${problem}\n`);
});
