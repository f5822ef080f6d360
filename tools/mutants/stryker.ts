import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runCommand } from "../../local/machine/run-command.ts";
import type { MutatedFile } from "./mutated-files.ts";
import { DIRECTORY, resultsFile } from "./results.ts";

/** Below the project's own packages: Stryker runs the tests with their Vitest. */
const STRYKER = join(DIRECTORY, "stryker");
/** What is installed there. */
const PACKAGE = join(import.meta.dirname, "stryker");

/** Installs Stryker, unless it is there: only who tests with mutants needs its 180 packages. */
export function installStryker(): void {
  const wanted = join(PACKAGE, "package-lock.json");
  const lock = join(STRYKER, "package-lock.json");
  // npm writes it last.
  const isComplete = existsSync(join(STRYKER, "node_modules/.package-lock.json"));
  if (isComplete && readFileSync(lock).equals(readFileSync(wanted))) return;
  process.stdout.write(`Installing Stryker (once) into ${STRYKER}\n`);
  mkdirSync(STRYKER, { recursive: true });
  copyFileSync(join(PACKAGE, "package.json"), join(STRYKER, "package.json"));
  copyFileSync(wanted, lock);
  const flags = ["--ignore-scripts", "--legacy-peer-deps"];
  const { status, error } = spawnSync("npm", ["ci", ...flags], { cwd: STRYKER, stdio: "inherit" });
  if (status !== 0) throw new Error(`npm ci ended with ${status}.`, { cause: error });
}

/**
 * Runs a source file's tests on its mutants.
 *
 * @throws Error with Stryker's output if they cannot run
 */
export async function runMutants({ file, testFiles, coverageAnalysis }: MutatedFile): Promise<void> {
  const configuration = `${DIRECTORY}/${file}.stryker.json`;
  writeFileSync(configuration, JSON.stringify(configurationOf(file, coverageAnalysis)));
  const stryker = join(STRYKER, "node_modules/.bin/stryker");
  const env = { ...process.env, MUTANTS_FILE: file, MUTANTS_TEST_FILES: testFiles.join(",") };
  try {
    await runCommand(process.execPath, [stryker, "run", configuration], { env });
  } catch (error) {
    const output = error instanceof Error && "stdout" in error ? error.stdout : "";
    throw new Error(`Stryker has failed.\n${output}`, { cause: error });
  }
}

function configurationOf(file: string, coverageAnalysis: MutatedFile["coverageAnalysis"]) {
  return {
    mutate: [file],
    testRunner: "vitest",
    vitest: { configFile: "tools/mutants/vitest.config.ts" },
    coverageAnalysis,
    incremental: true,
    incrementalFile: resultsFile(file),
    concurrency: 1,
    // On a busy machine; what never ends is found by its hits long before.
    timeoutMS: 30_000,
    warnings: false,
    allowEmpty: true,
    reporters: ["progress-append-only"],
    ignorePatterns: [".local", "cdk.out", "coverage"],
    tempDirName: `${DIRECTORY}/sandboxes/${file}`,
    cleanTempDir: "always",
    // Sources run as they stand: there are no types to check, and TypeScript 7 lacks the API that reads its file.
    disableTypeChecks: false,
    tsconfigFile: "none",
    allowConsoleColors: false,
  };
}
