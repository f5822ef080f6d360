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

/** One synthesis for every test that reads what the CDK app makes with the settings of cdk.json. */
export async function setup(project: TestProject): Promise<void> {
  await synthesisedOnce(project);
}

/** The folder of the whole run's assembly, which the first project that needs it has synthesised. */
export async function synthesisedOnce(project: TestProject): Promise<string> {
  const { assembly } = project.getProvidedContext();
  if (assembly !== undefined) return assembly;
  const directory = await mkdtemp(join(tmpdir(), "candidate-service-assembly-"));
  const write = () => synthesise(directory);
  await write();
  project.vitest.provide("assembly", directory);
  // In watch mode the sources may be others by then.
  project.onTestsRerun(write);
  // After the teardowns of all projects, which may still need it.
  project.vitest.onClose(() => rm(directory, { recursive: true, force: true }));
  return directory;
}
