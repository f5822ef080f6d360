/**
 * The command behind `npm run mutants`. Goes on where it was interrupted: what has run on the sources as they are is
 * not run again, and of a file that has changed, what its change does not touch.
 */
import { program } from "commander";
import { recordMutants } from "../reliability/recording.ts";
import { FOLDERS, portionsOf } from "./portions.ts";
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
  .action(run)
  .parse();

function run(paths: readonly string[], options: Options): void {
  if (!options.summary) runPortions(paths, options);
  process.stdout.write(`${summary()}\n`);
}

function runPortions(paths: readonly string[], { record }: Options): void {
  installStryker();
  const sources = hashOfSources();
  for (const portion of portionsOf(paths)) {
    if (isDone(portion.file, sources)) continue;
    const startedAt = performance.now();
    setBegun(portion.file, sources);
    try {
      runMutants(portion);
      setDone(portion.file, sources);
      if (record) recordMutants(portion.file, countOf(portion.file));
    } catch (error) {
      // Most likely a test that fails without any mutant: the other files have other tests.
      process.stderr.write(`${portion.file}: ${error instanceof Error ? error.message : error}\n`);
      process.exitCode = 1;
    }
    process.stdout.write(`${portion.file}: ${Math.round((performance.now() - startedAt) / 1_000)} s\n`);
  }
}
