import { once } from "node:events";
import { mkdirSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join, resolve } from "node:path";
import { startLocalService } from "../../local/service/local-service.ts";
import { startGuarded } from "../guarded-program.ts";
import { pythonEnvironment } from "../python-environment.ts";
import { temporaryFolder } from "../temporary-folder.ts";

/** Schemathesis 4.32.5, which reads the description and makes up requests for it. */
const REQUIREMENTS = join(import.meta.dirname, "requirements.txt");
const SETTINGS = join(import.meta.dirname, "schemathesis.toml");
const DESCRIPTION = resolve("docs/openapi.json");

/**
 * What a portion does, in some 2,000 requests. The second one goes through every value that the description sets a
 * bound for, which is the same each time; all others make up requests and chains of them, each from its own seed.
 */
function phasesOf(portion: number): string {
  return portion === 2 ? "examples,coverage" : "fuzzing,stateful";
}

interface CampaignOptions {
  /** Where Schemathesis keeps its logs, and the requests that failed, to send them first the next time. */
  readonly folder: string;
  readonly onProgress: (message: string) => void;
}

export interface PortionResult {
  readonly passed: boolean;
  /** How many requests the service has responded to. */
  readonly requests: number;
  /** What Schemathesis printed. */
  readonly output: string;
}

/**
 * Sends one portion of made-up requests to a local stack of its own and holds each response against docs/openapi.json.
 *
 * @param portion from 1; its number is its seed, so that a portion can be repeated
 * @throws CommandError when Schemathesis cannot be installed
 */
export async function runPortion(
  portion: number,
  { folder, onProgress }: CampaignOptions,
): Promise<PortionResult> {
  mkdirSync(folder, { recursive: true });
  const programs = await pythonEnvironment({ name: "schemathesis", requirements: REQUIREMENTS, onProgress });
  const dataDir = temporaryFolder("candidate-service-schemathesis-");
  let requests = 0;
  const stack = await startLocalService({ dataDir, throttling: false, onRequest: () => (requests += 1) });
  const receiver = createServer((message, response) => {
    message.resume();
    response.writeHead(204).end();
  }).listen(0, "127.0.0.1");
  try {
    await once(receiver, "listening");
    let output = "";
    const code = await startGuarded(
      join(programs, "st"),
      [
        ...["--config-file", SETTINGS],
        ...["run", DESCRIPTION],
        ...["--url", stack.baseUrl],
        ...["--header", `X-API-Key: ${stack.organisations[0]?.apiKey}`],
        ...["--phases", phasesOf(portion)],
        ...["--seed", String(portion)],
        ...["--generation-database", join(folder, "examples")],
        "--no-color",
      ],
      {
        cwd: folder,
        logFile: join(folder, `portion-${portion}.log`),
        env: {
          ...process.env,
          PYTHONPATH: import.meta.dirname,
          PYTHONDONTWRITEBYTECODE: "1",
          SCHEMATHESIS_HOOKS: "hooks",
          RECEIVER_URL: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`,
        },
        onOutput: (text) => {
          output += text;
        },
      },
    ).ended;
    return { passed: code === 0, requests, output };
  } finally {
    receiver.closeAllConnections();
    receiver.close();
    await stack.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}
