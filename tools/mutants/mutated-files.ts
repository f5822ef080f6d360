import { globSync } from "node:fs";
import { matchesGlob, relative, resolve } from "node:path";

interface Tests {
  /** The test files that may kill a mutant. */
  readonly testFiles: readonly string[];
  /** Which of their tests run: those that reach the mutant, or all, where to name thousands takes longer. */
  readonly coverageAnalysis: "perTest" | "all";
}

/** A source file whose mutants are tested by themselves. */
export interface MutatedFile extends Tests {
  readonly file: string;
}

/** The folders that are mutated. */
export const FOLDERS = ["lib/candidates", "lib/webhooks", "lib/contract"] as const;

/** Waits for receivers that never respond, ten seconds and more. */
const OVER_THE_WIRE = "test/webhooks/delivery/webhook-client.test.ts";

/** Adds up the capacity units that only DynamoDB Local reports. */
const ON_THE_ENGINE_ALONE = "test/webhooks/capacity-units.test.ts";

/** The tests of a file: those of the first group that it belongs to. */
const GROUPS: readonly (Tests & { readonly files: string })[] = [
  {
    files: "lib/candidates/outbox/*.ts",
    testFiles: ["test/{candidates,webhooks}/**/*.test.ts", "test/simulation/repositories.test.ts"],
    coverageAnalysis: "perTest",
  },
  {
    files: "lib/candidates/**/*.ts",
    testFiles: ["test/candidates/**/*.test.ts", "test/simulation/repositories.test.ts"],
    coverageAnalysis: "perTest",
  },
  {
    files: "lib/webhooks/delivery/{guarded-connector,interim-responses,reused-connections,webhook-client}.ts",
    testFiles: [
      OVER_THE_WIRE,
      "test/webhooks/delivery/interim-responses.test.ts",
      "test/webhooks/dns-rebinding.test.ts",
    ],
    coverageAnalysis: "perTest",
  },
  {
    files: "lib/webhooks/**/*.ts",
    testFiles: ["test/webhooks/**/*.test.ts", "test/simulation/repositories.test.ts"],
    coverageAnalysis: "perTest",
  },
  {
    files: "lib/contract/*.ts",
    testFiles: [
      "test/contract/**/*.test.ts",
      "test/candidates/{handles,projection}.test.ts",
      "test/docs/openapi.test.ts",
      "test/runtime/*.test.ts",
      "test/candidates/outbox/outbox.test.ts",
      "test/api-keys/*.test.ts",
    ],
    coverageAnalysis: "all",
  },
];

/** The source files that are named, or in folders that are named; all, when none is. */
export function mutatedFilesIn(paths: readonly string[]): MutatedFile[] {
  const named = paths.map((path) => relative("", resolve(path)));
  return FOLDERS.flatMap((folder) =>
    globSync(`${folder}/**/*.ts`)
      .sort()
      .filter((file) => named.length === 0 || named.some((path) => `${file}/`.startsWith(`${path}/`)))
      .map((file) => ({ file, ...testsOf(file) })),
  );
}

function testsOf(file: string): Tests {
  const group = GROUPS.find(({ files }) => matchesGlob(file, files));
  if (!group) throw new Error(`${file} has no tests: name them in tools/mutants/mutated-files.ts.`);
  const { testFiles, coverageAnalysis } = group;
  const named = testFiles.filter((each) => each === OVER_THE_WIRE);
  const found = globSync([...testFiles], { exclude: [OVER_THE_WIRE, ON_THE_ENGINE_ALONE] });
  return { testFiles: [...named, ...found], coverageAnalysis };
}
