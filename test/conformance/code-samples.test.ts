import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { describe, expect, inject, test } from "vitest";
import { pythonEnvironment } from "../../tools/python-environment.ts";
import { temporaryFolder } from "../builders/temporary-folder.ts";
import { codeSamplesOf, type LANGUAGES } from "../docs/code-samples.ts";
import { operations } from "../docs/description.ts";
import { anOrganisation } from "../end-to-end/platform.ts";
import { startProgram } from "../program.ts";
import { installClient } from "./installed-client.ts";
import { lacksTool, type Tool } from "./missing-tool.ts";

/** What the others need, and what ends it. */
const FIRST = ["createCandidate", "createWebhookEndpoint"];
const LAST = ["deleteWebhookEndpoint", "requestErasure"];

/** The operations in an order in which each finds what it asks for. */
const inOrder = operations.toSorted(
  (left, right) => turnOf(left.operation.operationId) - turnOf(right.operation.operationId),
);

function turnOf(operationId = ""): number {
  return Number(LAST.includes(operationId)) - Number(FIRST.includes(operationId));
}

/** What these ask for does not exist, or, in the case of startRecovery, is no longer kept one day. */
const MAY_BE_REFUSED: Readonly<Record<string, RegExp>> = {
  resendWebhookDelivery: /404|not_found/,
  getRecovery: /404|not_found/,
  startRecovery: /"status": ?"running"|status: "running"|400|since/,
};

interface Language {
  readonly lang: (typeof LANGUAGES)[number];
  readonly tools: readonly Tool[];
  /** Makes ready what samples need, and returns how one is run. */
  prepare(folder: string): Promise<(source: string) => Promise<readonly [string, ...string[]]>>;
}

/** Runs a sample as a file of this name. */
async function written(folder: string, name: string, source: string): Promise<string> {
  const file = join(folder, name);
  await writeFile(file, source);
  return file;
}

const languages: readonly Language[] = [
  {
    lang: "shell",
    tools: [["curl", "--version"]],
    prepare: async () => async (source) => ["bash", "-c", source],
  },
  {
    lang: "typescript",
    tools: [],
    async prepare(folder) {
      await installClient(folder);
      return async (source) => [process.execPath, await written(folder, "sample.mts", source)];
    },
  },
  {
    lang: "python",
    tools: [["python3", "--version"]],
    async prepare(folder) {
      const requirements = resolve("tools/samples/python/requirements.txt");
      const programs = await pythonEnvironment({ name: "samples", requirements, onProgress: () => {} });
      return async (source) => [join(programs, "python"), await written(folder, "sample.py", source)];
    },
  },
  {
    lang: "go",
    tools: [["go", "version"]],
    prepare: async (folder) => async (source) => ["go", "run", await written(folder, "sample.go", source)],
  },
];

describe.each(languages)("the code samples of the reference in $lang", ({ lang, tools, prepare }) => {
  const cannotRun = lacksTool(`What runs the samples in ${lang}`, tools);
  test.skipIf(cannotRun)("do what they say when run one after another", async () => {
    const commandOf = await prepare(await temporaryFolder());
    const { apiKey } = await anOrganisation();
    const env: Record<string, string> = {
      BASE: inject("baseUrl"),
      KEY: apiKey,
      EVENT_ID: `evt_${"0".repeat(26)}`,
      RECOVERY_ID: `rec_${"0".repeat(26)}`,
    };
    for (const { operation } of inOrder) {
      const { operationId = "" } = operation;
      const source = codeSamplesOf(operation).find((sample) => sample.lang === lang)?.source ?? "";
      const [program, ...args] = await commandOf(source);
      const { stdout, stderr } = await startProgram(program, args, { env }).ended;

      const told = `${operationId}: ${stdout}${stderr}`;
      if (MAY_BE_REFUSED[operationId]) expect(told).toMatch(MAY_BE_REFUSED[operationId]);
      else expect(told).not.toMatch(/"?error"?: ?"|CandidateServiceError|^\w+: (?:HTTP\/1.1 )?[45]\d\d/i);
      env["ID"] ??= /staged_\w+/.exec(stdout)?.[0] ?? "";
      if (operationId === "createWebhookEndpoint") env["ENDPOINT_ID"] = /whe_\w+/.exec(stdout)?.[0] ?? "";
    }
    expect(env["ENDPOINT_ID"]).toMatch(/^whe_/);
  });
});
