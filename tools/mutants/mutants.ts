/**
 * The command behind `npm run mutants`. Goes on where it was interrupted: what has run on the sources as they are is
 * not run again, and of a file that has changed, what its change does not touch.
 */
import { availableParallelism } from "node:os";
import { program } from "commander";
import { commitUnderTest, recordMutants } from "../reliability/recording.ts";
import { FOLDERS, type MutatedFile, mutatedFilesIn } from "./mutated-files.ts";
import { countOf, hashOfSources, isDone, setBegun, setDone } from "./results.ts";
import { installStryker, runMutants } from "./stryker.ts";
import { summary } from "./summary.ts";

interface Options {
  readonly summary: boolean;
  readonly record: boolean;
}

program
  .name("npm run mutants --")
  .description("Breaks the sources in one place after the other, and runs the tests each time.")
  .argument("[paths...]", `files or folders: those in ${FOLDERS.join(", ")} if none is named`)
  .option("--summary", "only print the results that there are", false)
  .option("--record", "record the results of each file in docs/reliability.md", false)
  .action(run);
await program.parseAsync();

async function run(paths: readonly string[], options: Options): Promise<void> {
  if (!options.summary) await runFiles(paths, options);
  process.stdout.write(`${summary()}\n`);
}

/** Runs a file on each processor at a time. */
async function runFiles(paths: readonly string[], { record }: Options): Promise<void> {
  const other = paths.filter((path) => mutatedFilesIn([path]).length === 0);
  if (other.length > 0) {
    program.error(
      `error: no mutants in ${other.join(", ")}. Name files or folders of ${FOLDERS.join(", ")}.`,
    );
  }
  const commit = record ? commitUnderTest() : undefined;
  installStryker();
  const sources = hashOfSources();
  const files = mutatedFilesIn(paths)
    .filter(({ file }) => !isDone(file, sources))
    .values();
  const runRemaining = async () => {
    for (const mutated of files) await runFile(mutated, sources, commit);
  };
  await Promise.all(Array.from({ length: availableParallelism() }, runRemaining));
}

/** @param commit the commit in whose name the results are recorded, if they are */
async function runFile(mutated: MutatedFile, sources: string, commit: string | undefined): Promise<void> {
  const { file } = mutated;
  const startedAt = performance.now();
  setBegun(file, sources);
  try {
    await runMutants(mutated);
    setDone(file, sources);
    const { killed, mutants } = countOf(file);
    if (commit !== undefined) recordMutants(file, { commit, killed, mutants });
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    process.stdout.write(`${file}: ${killed} of ${mutants}, ${seconds} s\n`);
  } catch (error) {
    // Most likely a test that fails without any mutant: the other files have other tests.
    process.stderr.write(`${file}: ${error instanceof Error ? error.message : error}\n`);
    process.exitCode = 1;
  }
}
