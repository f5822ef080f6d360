import { once } from "node:events";
import { chmod, mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { delimiter, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { DataDirectory } from "../../local/machine/data-directory.ts";
import { DATA_VERSION, startLocalService } from "../../local/service/local-service.ts";
import { listening } from "../builders/listening.ts";
import { temporaryFolder } from "../builders/temporary-folder.ts";
import { startCommand } from "./start-command.ts";

test("npm start reports a port in use in one sentence", async () => {
  const { port: PORT } = new URL(await listening(createServer()));
  const run = startCommand({ PORT, LOCAL_DATA_DIR: await temporaryFolder() });
  expect(await run.until("\n")).toBe(
    `Port ${PORT} is in use: stop the process that listens there, or set PORT to another port.\n`,
  );
  expect(await run.ended).toEqual([1, null]);
});

test.each([
  ["an unknown option", {}, ["--nothing"], "error: unknown option '--nothing'"],
  ["an argument", {}, ["extra"], "error: too many arguments. Expected 0 arguments but got 1: extra."],
  ["an invalid port", { PORT: "http" }, [], "PORT is http. Set it to a number from 0 to 65535."],
  [
    "an endpoint without a scheme",
    { DYNAMODB_ENDPOINT: "localhost:8000" },
    [],
    "DYNAMODB_ENDPOINT is localhost:8000. Set it to a URL such as http://localhost:8000.",
  ],
])("npm start ends with 2 after a usage error: %s", async (_, environment, flags, message) => {
  const run = startCommand({ LOCAL_DATA_DIR: await temporaryFolder(), ...environment }, flags);
  expect(await run.ended).toEqual([2, null]);
  expect(await run.until("\n")).toContain(`${message}\n`);
});

test("npm start says what to do about an old, unable or missing Java or a missing DynamoDB endpoint", async () => {
  const bin = await temporaryFolder();
  await writeFile(join(bin, "java"), `#!/bin/sh\necho 'openjdk version "11.0.2" 2019-01-15' >&2\n`);
  await chmod(join(bin, "java"), 0o755);
  const old = startCommand({
    PATH: `${bin}${delimiter}${process.env["PATH"]}`,
    LOCAL_DATA_DIR: await temporaryFolder(),
  });
  expect(await old.until("\n")).toBe(
    "DynamoDB Local needs Java 17, but java on the PATH is 11. Install Java 17 or newer and put it on the PATH, or set DYNAMODB_ENDPOINT to a DynamoDB Local that is running.\n",
  );
  expect(await old.ended).toEqual([1, null]);

  const absent = startCommand({
    DYNAMODB_ENDPOINT: "http://127.0.0.1:1",
    LOCAL_DATA_DIR: await temporaryFolder(),
  });
  expect(await absent.until("\n")).toBe(
    "Nothing responds at DYNAMODB_ENDPOINT (http://127.0.0.1:1): start DynamoDB Local there, or unset the variable.\n",
  );

  const unable = startCommand({ JAVA_TOOL_OPTIONS: "-Xunknown", LOCAL_DATA_DIR: await temporaryFolder() });
  expect(await unable.until("\n")).toMatch(
    /^DynamoDB Local needs Java, but java -version failed: .*-Xunknown.* Install Java 17/,
  );

  const missing = startCommand({ PATH: "/nowhere", LOCAL_DATA_DIR: await temporaryFolder() });
  expect(await missing.until("\n")).toMatch(/^DynamoDB Local needs Java, but no java was found\. Install/);
});

/** The address of a server that responds as DynamoDB Local does to a request that is not signed. */
function dynamoDb(): Promise<string> {
  return listening(createServer((_, response) => response.writeHead(400).end()));
}

test("npm start leaves nothing of a download that is interrupted", async () => {
  const registry = createServer(() => {});
  const asked = once(registry, "request");
  const XDG_CACHE_HOME = await temporaryFolder();
  const run = startCommand({
    XDG_CACHE_HOME,
    LOCAL_DATA_DIR: await temporaryFolder(),
    npm_config_registry: await listening(registry),
  });
  await asked;
  run.child.kill("SIGINT");
  expect(await run.ended).toEqual([1, null]);
  const left = await readdir(join(XDG_CACHE_HOME, "candidate-management-service"));
  expect(left.filter((name) => name.startsWith("download-"))).toEqual([]);
});

test("npm start ends in one sentence when nobody reads its output any more", async () => {
  const run = startCommand({ DYNAMODB_ENDPOINT: await dynamoDb(), LOCAL_DATA_DIR: await temporaryFolder() });
  run.child.stdout?.destroy();
  expect(await run.ended).toEqual([1, null]);
  expect(await run.until("\n")).toBe("Ended by the end of its output before it was ready.\n");
});

test("npm start reaches what runs on this machine without a proxy", async () => {
  const run = startCommand({
    DYNAMODB_ENDPOINT: await dynamoDb(),
    LOCAL_DATA_DIR: await temporaryFolder(),
    NODE_USE_ENV_PROXY: "1",
    HTTP_PROXY: "http://127.0.0.1:9",
    NO_PROXY: "registry.example",
    no_proxy: "",
  });
  expect(await run.until("\n")).toBe("Synthesising CandidateService-development\n");
});

test.each([
  ["is a file", (file: string) => file],
  ["is to be made below a file", (file: string) => join(file, "data")],
])("npm start reports a data folder that %s in one sentence", async (_, folderOf) => {
  const file = join(await temporaryFolder(), "taken");
  await writeFile(file, "");
  const folder = folderOf(file);
  const run = startCommand({ LOCAL_DATA_DIR: folder });
  expect(await run.ended).toEqual([1, null]);
  expect(await run.until("\n")).toBe(
    `${folder} cannot be used, because a file is in the way: move the file, or set LOCAL_DATA_DIR to another folder.\n`,
  );
});

test("npm start ends, and leaves no engine, if it cannot delete the assemblies of earlier starts", async () => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, "assemblies"), "");
  const run = startCommand({ LOCAL_DATA_DIR: folder, DYNAMODB_ENDPOINT: await dynamoDb() });
  expect(await run.ended).toEqual([1, null]);
  expect(await run.until("\n")).toBe(
    `${join(folder, "assemblies")} cannot be used, because a file is in the way: move the file, or set LOCAL_DATA_DIR to another folder.\n`,
  );
});

// Linux alone has these: folders in which not even root makes another, and a device that is always full.
const onLinux = test.skipIf(process.platform !== "linux");

onLinux("npm start reports a data folder that cannot be created in one sentence", async () => {
  const run = startCommand({ LOCAL_DATA_DIR: "/sys/local-stack" });
  expect(await run.ended).toEqual([1, null]);
  expect(await run.until("\n")).toMatch(
    /^\/sys\/local-stack cannot be used, because (permission is denied|its file system is read-only): [^\n]+\n$/,
  );
});

onLinux("npm start reports a data folder that cannot exist in one sentence, at once", async () => {
  const run = startCommand({ LOCAL_DATA_DIR: "/proc/local-stack/data" });
  expect(await run.ended).toEqual([1, null]);
  expect(await run.until("\n")).toBe(
    "/proc/local-stack/data cannot be used, because no folder can be created there: create it, or set LOCAL_DATA_DIR to another folder.\n",
  );
});

test("npm start reports a data folder whose path is too long in one sentence", async () => {
  const folder = join(await temporaryFolder(), "d".repeat(250), "d".repeat(250));
  const run = startCommand({ LOCAL_DATA_DIR: folder });
  expect(await run.ended).toEqual([1, null]);
  expect(await run.until("\n")).toBe(
    `${folder} cannot be used, because its path is longer than the 444 bytes that SQLite can use: shorten it, or set LOCAL_DATA_DIR to another folder.\n`,
  );
});

onLinux("npm start reports a full disk in one sentence", async () => {
  const dataDir = join(await temporaryFolder(), "data");
  await mkdir(dataDir);
  // Where the stack writes its identity before all else.
  await symlink("/dev/full", join(dataDir, `identity.json.${process.pid}.draft`));
  await expect(startLocalService({ dataDir })).rejects.toThrow(
    expect.objectContaining({
      name: "CommandError",
      message: `${dataDir} cannot be used, because the disk is full: free some space, or set LOCAL_DATA_DIR to another folder.`,
    }),
  );
});

test("npm start refuses data that was stored by another version in one sentence", async () => {
  const dataDir = await temporaryFolder();
  const identity = {
    accessKeyId: `LOCAL${"0".repeat(32)}`,
    secretAccessKey: "0".repeat(40),
    dataVersion: DATA_VERSION - 1,
  };
  await writeFile(join(dataDir, "identity.json"), JSON.stringify(identity));
  const run = startCommand({ LOCAL_DATA_DIR: dataDir });
  expect(await run.ended).toEqual([1, null]);
  expect(await run.until("\n")).toBe(
    `The data in ${dataDir} belongs to another version of the service. Delete the data with npm start -- --reset, or set LOCAL_DATA_DIR to another folder.\n`,
  );

  const data = new DataDirectory(dataDir, { version: DATA_VERSION, reset: true });
  onTestFinished(() => data.release());
  const made = data.identity();
  expect(made.accessKeyId).not.toBe(identity.accessKeyId);
  expect(data.identity()).toEqual(made);
});
