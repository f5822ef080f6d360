import { readdir } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { program } from "commander";
import { synthesiseDeployment } from "../simulation/deployment.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { searchForMistake } from "./mistakes.ts";
import { commitUnderTest, recordMistake } from "./recording.ts";

const SEEDS = 5_000;
const project = join(import.meta.dirname, "../..");
const folder = join(project, "test/simulation/mistakes");

program
  .name("npm run simulation:mistakes --")
  .description(
    `Searches ${SEEDS} stories for each mistake, and records in docs/reliability.md what finds those of test/simulation/mistakes.`,
  )
  .argument(
    "[patches...]",
    "files that make a mistake each: those of test/simulation/mistakes if none is named",
  )
  .action(run);
await program.parseAsync();

async function run(named: readonly string[]): Promise<void> {
  const patches =
    named.length > 0
      ? named.map((path) => resolve(path))
      : (await readdir(folder)).sort().map((file) => join(folder, file));
  const assembly = temporaryFolder("simulation-");
  await synthesiseDeployment(assembly);
  let found = 0;
  for (const patch of patches) {
    const name = basename(patch, ".patch");
    const commit = dirname(patch) === folder ? commitUnderTest() : undefined;
    const { foundBy, says } = await searchForMistake(patch, { project, assembly, seeds: SEEDS });
    const isFound = foundBy !== undefined;
    if (isFound) found += 1;
    if (commit !== undefined) recordMistake(name, { commit, seeds: SEEDS, ...(isFound && { foundBy }) });
    process.stdout.write(`${isFound ? "found " : "missed"} ${name}: ${says}\n`);
  }
  process.stdout.write(`${found} of ${patches.length} mistakes are found.\n`);
}
