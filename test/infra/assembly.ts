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
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { remove } = await synthesisedOnce(project);
  return remove;
}

/** The assembly of the whole run: the first project that needs it has it synthesised, and removes it. */
export async function synthesisedOnce(
  project: TestProject,
): Promise<{ readonly assembly: string; remove(): Promise<void> }> {
  const { assembly } = project.getProvidedContext();
  if (assembly !== undefined) return { assembly, remove: async () => {} };
  const directory = await mkdtemp(join(tmpdir(), "candidate-service-assembly-"));
  const write = () => synthesise(directory);
  await write();
  project.vitest.provide("assembly", directory);
  // In watch mode the sources may be others by then.
  project.onTestsRerun(write);
  return { assembly: directory, remove: () => rm(directory, { recursive: true, force: true }) };
}
