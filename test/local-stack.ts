import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { type LocalService, startLocalService } from "../local/service/local-service.ts";
import { STACK } from "../local/service/project.ts";
import { engineOnce } from "./engine.ts";
import { synthesisedOnce } from "./infra/assembly.ts";
import { recordMatchedRules } from "./infra/edge/recording.ts";
import { recordIamRequests } from "./least-privilege/recording.ts";
import { parseInvocation } from "./parsed-invocation.ts";
import { recordHandleKeys } from "./privacy/handle-keys.ts";
import { recordPrivateValues } from "./privacy/private-values.ts";

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
    /**
     * What the functions of the local stack asked of IAM and were asked, for the tests that come after the end-to-end
     * tests.
     */
    recording:
      | {
          readonly file: string;
          /** The file of AWS WAF's rules that admitted requests match. */
          readonly matchedRules: string;
          readonly assembly: LocalService["assembly"];
          /** Whether every end-to-end test is part of the run. */
          readonly whole: boolean;
        }
      | undefined;
    /**
     * The logs of the local stack's functions and of its API, and the files of what they may not hold; for the same.
     */
    logs:
      | {
          readonly functions: string;
          readonly access: string;
          readonly privateValues: string;
          readonly handleKeys: string;
          /** What integrators and operators are shown, which may hold no handle key either. */
          readonly outputs: string;
        }
      | undefined;
  }
}

/**
 * One local stack, empty and on a free port, for every end-to-end test; or the deployed one that
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
  const recording = join(dataDir, "iam-requests.jsonl");
  const privateValues = join(dataDir, "private-values.jsonl");
  const handleKeys = join(dataDir, "handle-keys.txt");
  const outputs = join(dataDir, "outputs.txt");
  const matchedRules = join(dataDir, "matched-rules.txt");
  const onInvocation = [
    recordPrivateValues(privateValues),
    recordHandleKeys({ handleKeys, outputs }),
    recordMatchedRules(matchedRules),
  ];
  const [dynamoDbEndpoint, assembly] = await Promise.all([engineOnce(project), synthesisedOnce(project)]);
  const stack = await startLocalService({
    assembly: { directory: assembly, stackName: STACK },
    dataDir,
    port: 0,
    dynamoDbEndpoint,
    throttling: false,
    onAwsCall: recordIamRequests(recording),
    onInvocation(invocation) {
      const parsed = parseInvocation(invocation);
      for (const record of onInvocation) record(parsed);
    },
  });
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
  // To all projects: the tests that read these are no end-to-end tests.
  project.vitest.provide("recording", {
    file: recording,
    matchedRules,
    assembly: stack.assembly,
    whole: await runsWhole(project),
  });
  project.vitest.provide("logs", {
    functions: join(dataDir, "logs", "functions.log"),
    access: join(dataDir, "logs", "access.log"),
    privateValues,
    handleKeys,
    outputs,
  });
  return async () => {
    await stack.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
}

async function runsWhole(project: TestProject): Promise<boolean> {
  const chosen = new Set(project.vitest.state.getPaths());
  const { testFiles } = await project.globTestFiles();
  return testFiles.every((file) => chosen.has(file)) && project.vitest.config.testNamePattern === undefined;
}
