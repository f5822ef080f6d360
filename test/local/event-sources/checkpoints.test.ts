import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { Checkpoints } from "../../../local/event-sources/checkpoints.ts";
import { temporaryFolder } from "../../builders/temporary-folder.ts";

/** For a file that can be written. */
function fail(error: unknown): void {
  throw error;
}

/** On a file that is not closed, as if the process had been killed. */
function checkpointsIn(file: string, onFault = fail): Checkpoints {
  const checkpoints = new Checkpoints(file, onFault);
  onTestFinished(() => checkpoints.close());
  return checkpoints;
}

const at = (sequenceNumber: string) => ({ kind: "after", sequenceNumber }) as const;

test("A process that starts after another was killed finds the last position of each shard", async () => {
  const file = join(await temporaryFolder(), "checkpoints.sqlite");
  const before = checkpointsIn(file);
  before.save("source", "shard-1", at("1"));
  before.save("source", "shard-2", { kind: "end" });
  before.save("source", "shard-1", at("2"));

  const after = checkpointsIn(file);

  expect(after.knows("source")).toBe(true);
  expect(after.knows("another source")).toBe(false);
  expect(after.position("source", "shard-1")).toEqual(at("2"));
  expect(after.position("source", "shard-2")).toEqual({ kind: "end" });
});

test("A position that cannot be written is reported, and kept until the process ends", async () => {
  const file = join(await temporaryFolder(), "checkpoints.sqlite");
  const faults: unknown[] = [];
  const checkpoints = checkpointsIn(file, (error) => faults.push(error));
  const other = new DatabaseSync(file);
  onTestFinished(() => other.close());
  other.exec("BEGIN IMMEDIATE");

  checkpoints.save("source", "shard", at("1"));

  expect(faults).toEqual([expect.objectContaining({ message: "database is locked" })]);
  expect(checkpoints.position("source", "shard")).toEqual(at("1"));

  other.exec("ROLLBACK");
  checkpoints.save("source", "shard", at("2"));
  expect(checkpointsIn(file).position("source", "shard")).toEqual(at("2"));
});
