import { statSync } from "node:fs";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { FUNCTION_VARIABLES } from "../../test/function-variables.ts";

/**
 * The test files of the mutated file, separated by commas. Stryker's option for them leaves out the mutants of
 * what runs as a module is loaded: for these it runs every test of this configuration that imports the module.
 */
const testFiles = (process.env["MUTANTS_TEST_FILES"] ?? "").split(",");

/** Small files first: most mutants are killed by any test, and the large files are the slow ones. */
class SmallFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sizeOf = ({ moduleId }: TestSpecification) => statSync(moduleId).size;
    return files.toSorted((left, right) => sizeOf(left) - sizeOf(right));
  }
}

/** The tests that may kill a mutant: those within the process, and those on the engine, on the simulated table. */
// biome-ignore lint/style/noDefaultExport: Vitest reads its configuration from the default export.
export default defineConfig({
  resolve: {
    alias: [{ find: /^.*\/candidate-store\.ts$/, replacement: `${import.meta.dirname}/candidate-store.ts` }],
  },
  test: {
    testTimeout: 60_000,
    hookTimeout: 60_000,
    provide: { dynamoDbEndpoint: "simulated" },
    env: { ...FUNCTION_VARIABLES, POWERTOOLS_DEV: "true", PROPERTY_RUNS: "all" },
    sequence: { sequencer: SmallFilesFirst },
    include: testFiles,
    setupFiles: ["tools/mutants/setup.ts"],
    isolate: false,
  },
});
