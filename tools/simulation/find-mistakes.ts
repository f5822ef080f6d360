import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { record } from "../reliability/records.ts";
import { synthesiseDeployment } from "./deployment.ts";
import { searchForMistake } from "./mistakes.ts";

/**
 * The command behind `npm run simulation:mistakes [-- patch …]`: how many of the mistakes the simulation finds. Of all,
 * where none is named; then what was seen is recorded.
 */
const SEEDS = 5_000;
const project = join(import.meta.dirname, "../..");
const folder = join(project, "test/simulation/mistakes");

const named = process.argv.slice(2).map((path) => resolve(path));
const patches = named.length > 0 ? named : (await readdir(folder)).sort().map((file) => join(folder, file));
const assembly = await mkdtemp(join(tmpdir(), "simulation-"));
try {
  await synthesiseDeployment(assembly);
  const found: string[] = [];
  const missed: string[] = [];
  for (const patch of patches) {
    const name = basename(patch, ".patch");
    const { isFound, says } = await searchForMistake(patch, { project, assembly, seeds: SEEDS });
    (isFound ? found : missed).push(name);
    process.stdout.write(`${isFound ? "found " : "missed"} ${name}: ${says}\n`);
  }
  process.stdout.write(`${found.length} of ${patches.length} mistakes are found.\n`);
  if (named.length === 0) record("mistakes", { seeds: SEEDS, found, missed });
} finally {
  await rm(assembly, { recursive: true });
}
