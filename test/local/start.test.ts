import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { delimiter, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "./fixture-assembly.ts";

const START = join(import.meta.dirname, "..", "..", "local", "start.ts");

interface Run {
  readonly child: ChildProcess;
  readonly ended: Promise<unknown>;
  /** Everything printed until a text shows, or until the end. */
  until(text: string): Promise<string>;
}

function start(environment: Record<string, string>): Run {
  const child = spawn(process.execPath, [START], {
    env: { ...process.env, PORT: "0", ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let printed = "";
  const ended = once(child, "close");
  return {
    child,
    ended,
    async until(text) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const look = (chunk: Buffer | string) => {
        printed += String(chunk);
        if (printed.includes(text)) resolve();
      };
      child.stdout?.on("data", look);
      child.stderr?.on("data", look);
      look("");
      await Promise.race([promise, ended]);
      return printed;
    },
  };
}

/** The processes whose command line names a folder. */
async function processesOf(folder: string): Promise<string[]> {
  const { stdout } = await promisify(execFile)("ps", ["-A", "-ww", "-o", "args="]);
  return stdout.split("\n").filter((line) => line.includes(folder));
}

async function gone(folder: string): Promise<void> {
  while ((await processesOf(folder)).length > 0) await delay(50);
}

test("The banner's curl line works, a kill leaves no process, a restart keeps data and keys, SIGTERM stops all", {
  timeout: 300_000,
}, async () => {
  const LOCAL_DATA_DIR = await temporaryFolder();
  const first = start({ LOCAL_DATA_DIR });
  const curl = /curl .*/.exec(await first.until("Ctrl-C stops it."))?.[0] ?? "";
  const { stdout } = await promisify(execFile)("sh", ["-c", curl]);
  const created = JSON.parse(stdout);
  expect(created).toMatchObject({ externalId: "candidate-1", status: "received" });
  expect(await processesOf(LOCAL_DATA_DIR)).not.toEqual([]);
  first.child.kill("SIGKILL");
  await gone(LOCAL_DATA_DIR);

  const second = start({ LOCAL_DATA_DIR });
  const banner = await second.until("Ctrl-C stops it.");
  const baseUrl = /Ready at (\S+)/.exec(banner)?.[1];
  const response = await fetch(`${baseUrl}/v1/candidates/${created.stagedId}`, {
    headers: { "X-API-Key": /X-API-Key: (\w+)/.exec(curl)?.[1] ?? "" },
  });
  expect(await response.json()).toMatchObject({ externalId: "candidate-1" });
  expect(await second.until("GET /v1/candidates/{id} 200")).not.toContain(
    `GET /v1/candidates/${created.stagedId}`,
  );
  second.child.kill("SIGTERM");
  expect(await second.ended).toEqual([0, null]);
  expect(await processesOf(LOCAL_DATA_DIR)).toEqual([]);
});

test("A port in use is told in one sentence", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const address = server.address();
  const PORT = String(typeof address === "object" && address ? address.port : "");
  const run = start({ PORT, LOCAL_DATA_DIR: await temporaryFolder() });
  expect(await run.until("\n")).toBe(
    `Port ${PORT} is in use: stop what listens there, or set PORT to another one.\n`,
  );
  expect(await run.ended).toEqual([1, null]);
});

test("An old Java and a missing engine are told with what to do", async () => {
  const bin = await temporaryFolder();
  await writeFile(join(bin, "java"), `#!/bin/sh\necho 'openjdk version "11.0.2" 2019-01-15' >&2\n`);
  await chmod(join(bin, "java"), 0o755);
  const old = start({
    PATH: `${bin}${delimiter}${process.env["PATH"]}`,
    LOCAL_DATA_DIR: await temporaryFolder(),
  });
  expect(await old.until("\n")).toBe(
    "DynamoDB Local needs Java 17, and java on the PATH is 11. Install Java 17 or newer and put it on the PATH, or set DYNAMODB_ENDPOINT to a DynamoDB Local that is running.\n",
  );
  expect(await old.ended).toEqual([1, null]);

  const absent = start({ DYNAMODB_ENDPOINT: "http://127.0.0.1:1", LOCAL_DATA_DIR: await temporaryFolder() });
  expect(await absent.until("\n")).toBe(
    "Nothing answers at DYNAMODB_ENDPOINT (http://127.0.0.1:1): start DynamoDB Local there, or unset the variable.\n",
  );

  const missing = start({ PATH: "/nowhere", LOCAL_DATA_DIR: await temporaryFolder() });
  expect(await missing.until("\n")).toMatch(/^DynamoDB Local needs Java, and no java runs here\. Install/);
});
