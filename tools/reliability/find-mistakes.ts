import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { synthesiseDeployment } from "../simulation/deployment.ts";
import { searchForMistake } from "./mistakes.ts";
import { recordMistake } from "./recording.ts";

/**
 * The command behind `npm run simulation:mistakes [-- patch …]`: which mistakes the simulation finds; all, where none
 * is named. What is seen of those in test/simulation/mistakes is recorded.
 */
const SEEDS = 5_000;
const project = join(import.meta.dirname, "../..");
const folder = join(project, "test/simulation/mistakes");

const named = process.argv.slice(2).map((path) => resolve(path));
const patches = named.length > 0 ? named : (await readdir(folder)).sort().map((file) => join(folder, file));
const assembly = await mkdtemp(join(tmpdir(), "simulation-"));
try {
  await synthesiseDeployment(assembly);
  let found = 0;
  for (const patch of patches) {
    const name = basename(patch, ".patch");
    const { foundBy, says } = await searchForMistake(patch, { project, assembly, seeds: SEEDS });
    const isFound = foundBy !== undefined;
    if (isFound) found += 1;
    if (dirname(patch) === folder) recordMistake(name, { seeds: SEEDS, ...(isFound && { foundBy }) });
    process.stdout.write(`${isFound ? "found " : "missed"} ${name}: ${says}\n`);
  }
  process.stdout.write(`${found} of ${patches.length} mistakes are found.\n`);
} finally {
  await rm(assembly, { recursive: true });
}
