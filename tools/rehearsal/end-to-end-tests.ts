import { existsSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import * as z from "zod";
import { CommandError } from "../../local/machine/command-error.ts";
import { PROJECT } from "../../local/service/project.ts";
import { startGuarded } from "../guarded-program.ts";
import type { Emulator } from "./emulator.ts";
import type { Organisation } from "./keys.ts";
import type { Limit } from "./limits.ts";
import type { Workplace } from "./workplace.ts";

const TESTS = join(PROJECT, "test", "end-to-end");
/** Tests that need the local stack's own files, or reach into its engines. */
const OF_THE_LOCAL_STACK = [
  "console.test.ts",
  "readme.test.ts",
  "platform-command.test.ts",
  "after-faults.test.ts",
];
/**
 * A burst of 55 requests starts 110 processes. Where other work shares two processors, the authorizer's three
 * attempts of 2 s at reading a key were seen to run out, and the API responded 500. A second run finds the
 * processes started.
 */
const RETRIES = 1;

/** Vitest's JSON report, as far as it is read here. */
const Report = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      message: z.optional(z.string()),
      assertionResults: z.array(
        z.object({
          fullName: z.string(),
          status: z.string(),
          failureMessages: z.optional(z.nullable(z.array(z.string()))),
        }),
      ),
    }),
  ),
});

/** How an end-to-end test ended, named as `Limit.tests` names it. */
export interface TestResult {
  readonly name: string;
  readonly passed: boolean;
  /** The first line of what it said when it failed. */
  readonly message: string;
}

interface EndToEndTestOptions {
  readonly emulator: Emulator;
  readonly workplace: Workplace;
  readonly baseUrl: string;
  readonly organisations: readonly Organisation[];
  /** Told how many tests have ended so far. */
  readonly onProgress: (tests: number) => void;
}

/**
 * Runs the end-to-end tests against a deployed API. They run file by file: each request at once is a process
 * of the emulator's, and a function's timeout counts while the processor is shared among all of them.
 */
export async function runEndToEndTests(options: EndToEndTestOptions): Promise<TestResult[]> {
  const { emulator, workplace } = options;
  const reportFile = workplace.file("end-to-end-tests.json");
  let ended = 0;
  const program = startGuarded(
    process.execPath,
    [
      join(PROJECT, "node_modules", "vitest", "vitest.mjs"),
      "run",
      "--project=end-to-end",
      "--no-file-parallelism",
      `--retry=${RETRIES}`,
      ...OF_THE_LOCAL_STACK.map((file) => `--exclude=**/${file}`),
      "--reporter=verbose",
      "--reporter=json",
      `--outputFile.json=${reportFile}`,
    ],
    {
      cwd: PROJECT,
      env: {
        ...emulator.clientEnvironment,
        NO_COLOR: "1",
        CONTRACT_BASE_URL: options.baseUrl,
        CONTRACT_ORGANISATIONS: JSON.stringify(options.organisations),
      },
      logFile: workplace.file("end-to-end-tests.log"),
      onOutput(text) {
        ended += text.match(/^ *[✓×]/gm)?.length ?? 0;
        options.onProgress(ended);
      },
    },
  );
  await program.ended;
  if (!existsSync(reportFile)) {
    throw new CommandError("The end-to-end tests ended without a report: see end-to-end-tests.log.");
  }
  const results = resultsOf(readFileSync(reportFile, "utf8"));
  if (results.length === 0) {
    throw new CommandError("No end-to-end test ran: see end-to-end-tests.log.");
  }
  return results;
}

/**
 * The results in Vitest's JSON report. No test is skipped on purpose: Vitest skips those whose set-up failed.
 *
 * @internal Exported for tests.
 */
export function resultsOf(reportJson: string): TestResult[] {
  return Report.parse(JSON.parse(reportJson)).testResults.flatMap((testFile) => {
    const { name, status: fileStatus, message = "", assertionResults } = testFile;
    const file = relative(TESTS, name);
    const results = assertionResults.map(({ fullName, status, failureMessages }) => ({
      name: `${file} > ${fullName}`,
      passed: status === "passed",
      message: firstLine(failureMessages?.[0] ?? (status === "skipped" ? `It did not run. ${message}` : "")),
    }));
    // It could not be read, or failed after its tests.
    const hasFailedItself = fileStatus !== "passed" && results.every(({ passed }) => passed);
    return hasFailedItself
      ? [...results, { name: file, passed: false, message: firstLine(message) }]
      : results;
  });
}

/** End-to-end tests, sorted by what the emulator is known not to do. */
export interface Judgement {
  readonly passed: number;
  /** Failed, as they were known to. */
  readonly limited: ReadonlyMap<Limit, readonly TestResult[]>;
  /** Failed, and nothing known says why. */
  readonly failed: readonly TestResult[];
  /** Limits whose tests all pass: the emulator has learnt it, and the list is out of date. */
  readonly outdated: readonly Limit[];
}

export function judge(results: readonly TestResult[], limits: readonly Limit[]): Judgement {
  const limitOf = ({ name }: TestResult) =>
    limits.find(({ tests }) => tests?.some((beginning) => name.startsWith(beginning)));
  const failures = results.filter(({ passed }) => !passed);
  const limited = new Map<Limit, TestResult[]>();
  for (const failure of failures) {
    const limit = limitOf(failure);
    if (limit) limited.set(limit, [...(limited.get(limit) ?? []), failure]);
  }
  return {
    passed: results.length - failures.length,
    limited,
    failed: failures.filter((failure) => !limitOf(failure)),
    outdated: limits.filter((limit) => limit.tests && !limited.has(limit)),
  };
}

function firstLine(text: string | undefined): string {
  return text?.split("\n", 1)[0]?.slice(0, 300) ?? "";
}
