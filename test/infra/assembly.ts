import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { synthesise } from "../../local/service/synthesis.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The folder of the CDK app's cloud assembly, with development's bundles. */
    assembly: string;
  }
}

/**
 * One synthesis for every test that reads what the CDK app makes with the settings of cdk.json, and for the local stack
 * of the contract tests.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  // Several projects read it, and each has its setup run.
  if (project.getProvidedContext().assembly !== undefined) return async () => {};
  const directory = await mkdtemp(join(tmpdir(), "candidate-service-assembly-"));
  const write = () => synthesise(directory);
  await write();
  project.vitest.provide("assembly", directory);
  // In watch mode the sources may be others by then.
  project.onTestsRerun(write);
  return () => rm(directory, { recursive: true, force: true });
}
