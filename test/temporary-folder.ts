import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** The whole run's folder for temporary files. */
    temporaryFolder: string;
  }
}

/**
 * The tests of a project, and the programs that they start, have their temporary files in one folder of the run, which
 * is removed after it: nothing is left, also by a test that fails or by a program that is killed.
 */
export async function setup(project: TestProject): Promise<void> {
  project.config.env = { ...project.config.env, TMPDIR: await temporaryFolderOnce(project) };
}

async function temporaryFolderOnce(project: TestProject): Promise<string> {
  const { temporaryFolder } = project.getProvidedContext();
  if (temporaryFolder !== undefined) return temporaryFolder;
  const folder = await mkdtemp(join(tmpdir(), "candidate-service-tests-"));
  project.vitest.provide("temporaryFolder", folder);
  // After the teardowns of all projects, and their processes.
  project.vitest.onClose(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
