import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Checkpoints } from "../../local/event-sources/checkpoints.ts";
import { temporaryFolder } from "./fixture-assembly.ts";

const at = (sequenceNumber: string) => ({ kind: "after", sequenceNumber }) as const;

test("A restart finds the last position of each shard", async () => {
  const file = join(await temporaryFolder(), "checkpoints.json");
  const before = new Checkpoints(file);
  before.save("source", "shard-1", at("1"));
  before.save("source", "shard-2", { kind: "end" });
  before.save("source", "shard-1", at("2"));

  before.flush();

  const after = new Checkpoints(file);
  expect(after.knows("source")).toBe(true);
  expect(after.position("source", "shard-1")).toEqual(at("2"));
  expect(after.position("source", "shard-2")).toEqual({ kind: "end" });
});

test("Positions are written without being asked for, many at once", async () => {
  const file = join(await temporaryFolder(), "checkpoints.json");
  const checkpoints = new Checkpoints(file);
  for (let record = 1; record <= 1_000; record++) checkpoints.save("source", "shard", at(String(record)));
  expect(existsSync(file)).toBe(false);

  await expect.poll(() => existsSync(file)).toBe(true);

  expect(readFileSync(file, "utf8")).toContain('"1000"');
});
