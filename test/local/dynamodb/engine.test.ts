import { mkdir, readdir, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { delimiter, join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { dynamoDbLocal } from "../../../local/dynamodb/download.ts";
import { startDynamoDb } from "../../../local/dynamodb/engine.ts";
import { cacheDirectory } from "../../../local/service/project.ts";
import { listening } from "../../builders/listening.ts";
import { temporaryFolder } from "../../builders/temporary-folder.ts";

test("DynamoDB Local sends nothing to AWS", async () => {
  const requests: string[] = [];
  const proxy = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    response.writeHead(502).end();
  }).on("connect", (request, socket) => {
    requests.push(`CONNECT ${request.url}`);
    socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n");
  });
  const url = await listening(proxy);
  withVariables({ HTTP_PROXY: url, HTTPS_PROXY: url });
  const folder = await temporaryFolder();

  await startAndStop(folder);

  expect(requests).toEqual([]);
});

test("DynamoDB Local starts in a folder whose name is not ASCII, in a locale without UTF-8 too", async () => {
  withVariables({ LC_ALL: "C" });
  const folder = join(await temporaryFolder(), "Zoë 日本");
  await mkdir(folder);

  await startAndStop(folder);

  expect(await readdir(folder)).toEqual(["data", "engine.log"]);
});

/** A Java that does something else than to start DynamoDB Local. */
async function java(command: string) {
  const bin = await temporaryFolder();
  await writeFile(join(bin, "java"), `#!/bin/sh\n${command}\n`, { mode: 0o755 });
  withVariables({ PATH: `${bin}${delimiter}${process.env["PATH"]}` });
  return { program: bin, dataDirectory: bin, logFile: join(bin, "engine.log") };
}

const MEMORY =
  "The local stack needs 1.5 GB of free memory: end other programs, then start again, or set DYNAMODB_ENDPOINT to a DynamoDB Local that is running.";

test("A DynamoDB Local that is killed during its start is reported with the probable cause", async () => {
  await expect(startDynamoDb(await java("kill -9 $$"))).rejects.toThrow(
    `DynamoDB Local was killed during its start, as the system does when memory is short. ${MEMORY}`,
  );
});

test("A DynamoDB Local whose process the system does not start is reported in one sentence", async () => {
  const folder = await temporaryFolder();
  withVariables({ PATH: folder });

  await expect(
    startDynamoDb({ program: folder, dataDirectory: folder, logFile: join(folder, "engine.log") }),
  ).rejects.toThrow("DynamoDB Local could not be started: spawn sh ENOENT. Correct this, then start again.");
});

test("A DynamoDB Local that does not respond is announced after 15 s and reported after a minute", async () => {
  const options = await java("exec sleep 60");
  const messages: string[] = [];
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
  const clock = setInterval(() => vi.advanceTimersByTime(5_000), 20);
  onTestFinished(() => {
    clearInterval(clock);
    vi.useRealTimers();
  });

  await expect(
    startDynamoDb({ ...options, onProgress: (message) => void messages.push(message) }),
  ).rejects.toThrow(
    `DynamoDB Local did not respond within 60 s of its start. ${MEMORY} See ${options.logFile}.`,
  );
  expect(messages).toEqual([
    "DynamoDB Local is still starting, which takes long if memory is short (1.5 GB have to be free). It has a minute.",
  ]);
});

function withVariables(variables: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
}

async function startAndStop(folder: string): Promise<void> {
  const dataDirectory = join(folder, "data");
  await mkdir(dataDirectory);
  const engine = await startDynamoDb({
    program: await dynamoDbLocal({ cacheDirectory: cacheDirectory(), onProgress: () => {} }),
    dataDirectory,
    logFile: join(folder, "engine.log"),
  });
  await engine.stop();
}
