import { existsSync } from "node:fs";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, inject, test } from "vitest";
import { banner } from "../../local/service/banner.ts";
import { type LocalService, startLocalService } from "../../local/service/local-service.ts";
import { temporaryFolder } from "../builders/temporary-folder.ts";
import { issueApiKey, writeAssembly } from "./fixture-assembly.ts";

const table = {
  Type: "AWS::DynamoDB::Table",
  Properties: {
    AttributeDefinitions: [{ AttributeName: "pk", AttributeType: "S" }],
    KeySchema: [{ AttributeName: "pk", KeyType: "HASH" }],
  },
};

async function startIn(folder: string, flags: { readonly reset?: boolean } = {}) {
  const assembly = await writeAssembly(join(folder, "assembly"), {
    functions: { IssueApiKey: issueApiKey },
    resources: { Table: table },
  });
  const dynamoDbEndpoint = inject("dynamoDbEndpoint");
  return startLocalService({ dataDir: join(folder, "data"), assembly, dynamoDbEndpoint, ...flags });
}

test("The local service writes credentials readable only by their owner, and keeps them over a restart", async () => {
  const folder = await temporaryFolder();
  const first = await startIn(folder);
  const { baseUrl, invokeUrl, organisations, credentialsFile } = first;
  expect(banner(first, { practice: false })).toContain(join(folder, "data", "logs", "functions.log"));
  expect(JSON.parse(await readFile(credentialsFile, "utf8"))).toEqual({ baseUrl, invokeUrl, organisations });
  expect(organisations.map(({ orgId }) => orgId)).toEqual(["acme-talent", "globex-careers"]);
  expect((await stat(credentialsFile)).mode & 0o777).toBe(0o600);
  // The logs and the engines' files have no mode of their own.
  expect((await stat(join(folder, "data"))).mode & 0o777).toBe(0o700);
  await first.stop();

  const second = await startIn(folder);
  await second.stop();
  expect(second.organisations).toEqual(organisations);
});

test("A reset deletes the console's secrets together with their data", async () => {
  const folder = await temporaryFolder();
  const first = await startIn(folder);
  await first.stop();
  const secrets = join(folder, "data", "console.json");
  await writeFile(secrets, "{}");
  const second = await startIn(folder);
  await second.stop();
  expect(existsSync(secrets)).toBe(true);
  const third = await startIn(folder, { reset: true });
  await third.stop();
  expect(existsSync(secrets)).toBe(false);
});

test("The banner says when deliveries are retried for practice", () => {
  const service: LocalService = {
    baseUrl: "http://127.0.0.1:3000",
    invokeUrl: "http://127.0.0.1:4000",
    dynamoDbEndpoint: "",
    queuesEndpoint: "",
    functionsLog: "",
    assembly: { directory: "", stackName: "" },
    aws: { accessKeyId: "", secretAccessKey: "", region: "" },
    organisations: [],
    credentialsFile: "",
    async reload() {},
    async stop() {},
  };
  expect(banner(service, { practice: true })).toContain("Practice: a delivery is retried for about a minute");
  expect(banner(service, { practice: false })).not.toContain("Practice");
});
