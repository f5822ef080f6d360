import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { record } from "../reliability/records.ts";
import { synthesiseDeployment } from "./deployment.ts";
import { searchForMistake } from "./mistakes.ts";

/** The command behind `npm run simulation:mistakes`: how many of the mistakes the simulation finds. */
const SEEDS = 5_000;
const project = join(import.meta.dirname, "../..");
const folder = join(project, "test/simulation/mistakes");

const assembly = await mkdtemp(join(tmpdir(), "simulation-"));
try {
  await synthesiseDeployment(assembly);
  const found: string[] = [];
  const missed: string[] = [];
  for (const file of (await readdir(folder)).sort()) {
    const { isFound, says } = await searchForMistake(join(folder, file), { project, assembly, seeds: SEEDS });
    (isFound ? found : missed).push(file.replace(/\.patch$/, ""));
    process.stdout.write(`${isFound ? "found " : "missed"} ${file}: ${says}\n`);
  }
  process.stdout.write(`${found.length} of ${found.length + missed.length} mistakes are found.\n`);
  record("mistakes", { seeds: SEEDS, found, missed });
} finally {
  await rm(assembly, { recursive: true });
}
