import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { searchForMistake } from "../../tools/reliability/mistakes.ts";
import { readRecords } from "../../tools/reliability/records.ts";
import { synthesiseDeployment } from "../../tools/simulation/deployment.ts";

/** What takes longer to find is left to `npm run simulation:mistakes`, which takes hours. */
const SOON = 100;
/** A change of the stories or of the service may take other seeds to find it. */
const SEEDS = 2_000;
const PROJECT = join(import.meta.dirname, "../..");

const known = Object.entries(readRecords().mistakes ?? {}).flatMap(([name, { foundBy = SEEDS }]) =>
  foundBy <= SOON ? [name] : [],
);

let assembly = "";
beforeAll(async () => {
  assembly = await mkdtemp(join(tmpdir(), "simulation-"));
  await synthesiseDeployment(assembly);
});
afterAll(() => rm(assembly, { recursive: true }));

test("the simulation finds most of the known mistakes within few seeds", () => {
  expect(known.length).toBeGreaterThanOrEqual(30);
});

test.each(known)("the simulation finds the known mistake %s", async (name) => {
  const patch = join(import.meta.dirname, "mistakes", `${name}.patch`);

  const { foundBy } = await searchForMistake(patch, { project: PROJECT, assembly, seeds: SEEDS });

  expect(foundBy).toBeGreaterThan(0);
});
