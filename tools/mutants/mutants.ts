/**
 * `npm run mutants [-- file or folder …]`: breaks `lib` in one place after the other and runs the tests. Goes on
 * where it was interrupted: what has run on the sources as they are is not run again, and of a file that has
 * changed, what its change does not touch. `--summary` prints the results there are, `--record` writes those of each
 * file to docs/reliability.md.
 */
import { parseArgs } from "node:util";
import { recordMutants } from "../reliability/recording.ts";
import { portionsOf } from "./portions.ts";
import { countOf, hashOfSources, isDone, setBegun, setDone } from "./results.ts";
import { installStryker, runMutants } from "./stryker.ts";
import { summary } from "./summary.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { summary: { type: "boolean", default: false }, record: { type: "boolean", default: false } },
});

if (!values.summary) {
  installStryker();
  const sources = hashOfSources();
  for (const portion of portionsOf(positionals)) {
    if (isDone(portion.file, sources)) continue;
    const startedAt = performance.now();
    setBegun(portion.file, sources);
    try {
      runMutants(portion);
      setDone(portion.file, sources);
      if (values.record) recordMutants(portion.file, countOf(portion.file));
    } catch (error) {
      // Most likely a test that fails without any mutant: the other files have other tests.
      process.stderr.write(`${portion.file}: ${error instanceof Error ? error.message : error}\n`);
      process.exitCode = 1;
    }
    process.stdout.write(`${portion.file}: ${Math.round((performance.now() - startedAt) / 1_000)} s\n`);
  }
}
process.stdout.write(`${summary()}\n`);
