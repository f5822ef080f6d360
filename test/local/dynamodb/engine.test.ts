import { once } from "node:events";
import { mkdir, readdir } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { dynamoDbLocal } from "../../../local/dynamodb/download.ts";
import { startDynamoDb } from "../../../local/dynamodb/engine.ts";
import { cacheDirectory } from "../../../local/service/project.ts";
import { temporaryFolder } from "../fixture-assembly.ts";

test("DynamoDB Local sends nothing to AWS", async () => {
  const requests: string[] = [];
  const proxy = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    response.writeHead(502).end();
  })
    .on("connect", (request, socket) => {
      requests.push(`CONNECT ${request.url}`);
      socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n");
    })
    .listen(0, "127.0.0.1");
  onTestFinished(() => void proxy.close());
  await once(proxy, "listening");
  const address = proxy.address();
  const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
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
