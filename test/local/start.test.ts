import { once } from "node:events";
import { chmod, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { delimiter, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "./fixture-assembly.ts";
import { startCommand } from "./start-command.ts";

test("A port in use is told in one sentence", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const address = server.address();
  const PORT = String(typeof address === "object" && address ? address.port : "");
  const run = startCommand({ PORT, LOCAL_DATA_DIR: await temporaryFolder() });
  expect(await run.until("\n")).toBe(
    `Port ${PORT} is in use: stop what listens there, or set PORT to another one.\n`,
  );
  expect(await run.ended).toEqual([1, null]);
});

test("An old Java and a missing engine are told with what to do", async () => {
  const bin = await temporaryFolder();
  await writeFile(join(bin, "java"), `#!/bin/sh\necho 'openjdk version "11.0.2" 2019-01-15' >&2\n`);
  await chmod(join(bin, "java"), 0o755);
  const old = startCommand({
    PATH: `${bin}${delimiter}${process.env["PATH"]}`,
    LOCAL_DATA_DIR: await temporaryFolder(),
  });
  expect(await old.until("\n")).toBe(
    "DynamoDB Local needs Java 17, and java on the PATH is 11. Install Java 17 or newer and put it on the PATH, or set DYNAMODB_ENDPOINT to a DynamoDB Local that is running.\n",
  );
  expect(await old.ended).toEqual([1, null]);

  const absent = startCommand({
    DYNAMODB_ENDPOINT: "http://127.0.0.1:1",
    LOCAL_DATA_DIR: await temporaryFolder(),
  });
  expect(await absent.until("\n")).toBe(
    "Nothing answers at DYNAMODB_ENDPOINT (http://127.0.0.1:1): start DynamoDB Local there, or unset the variable.\n",
  );

  const missing = startCommand({ PATH: "/nowhere", LOCAL_DATA_DIR: await temporaryFolder() });
  expect(await missing.until("\n")).toMatch(/^DynamoDB Local needs Java, and no java runs here\. Install/);
});
