import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { startLocalStack } from "../local/local-stack.ts";

declare module "vitest" {
  interface ProvidedContext {
    baseUrl: string;
    /** Undefined for a deployed stack: its functions are reached as the environment's AWS settings say. */
    invokeUrl: string | undefined;
    dataDir: string;
    /** How a test reaches the engines beneath the API. */
    engines: {
      readonly dynamoDbEndpoint: string;
      readonly queuesEndpoint: string;
      readonly region: string;
      readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
    };
    organisations: readonly { readonly orgId: string; readonly name: string; readonly apiKey: string }[];
  }
}

/**
 * One local stack, empty and on a free port, for every contract test; or the deployed one that
 * `CONTRACT_BASE_URL` and `CONTRACT_ORGANISATIONS` name, as the rehearsal does.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { CONTRACT_BASE_URL, CONTRACT_ORGANISATIONS } = process.env;
  if (CONTRACT_BASE_URL && CONTRACT_ORGANISATIONS) {
    project.provide("baseUrl", CONTRACT_BASE_URL);
    project.provide("invokeUrl", undefined);
    project.provide("organisations", JSON.parse(CONTRACT_ORGANISATIONS));
    return async () => {};
  }
  const dataDir = await mkdtemp(join(tmpdir(), "candidate-service-"));
  const stack = await startLocalStack({ dataDir, port: 0, throttling: false });
  project.provide("baseUrl", stack.baseUrl);
  project.provide("invokeUrl", stack.invokeUrl);
  project.provide("dataDir", dataDir);
  const { region, ...credentials } = stack.aws;
  project.provide("engines", {
    dynamoDbEndpoint: stack.dynamoDbEndpoint,
    queuesEndpoint: stack.queuesEndpoint,
    region,
    credentials,
  });
  project.provide("organisations", stack.organisations);
  return async () => {
    await stack.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
}
