import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { Checkpoints } from "../../../local/event-sources/checkpoints.ts";
import { DataDirectory } from "../../../local/machine/data-directory.ts";
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

test("The positions in the file of earlier versions are taken over", async () => {
  const folder = await temporaryFolder();
  const former = join(folder, "checkpoints.json");
  const file = join(folder, "checkpoints.sqlite");
  writeFileSync(former, JSON.stringify({ source: { "shard-1": at("1"), "shard-2": { kind: "end" } } }));

  checkpointsIn(file).takeOver(former);

  const after = checkpointsIn(file);
  expect(after.position("source", "shard-1")).toEqual(at("1"));
  expect(after.position("source", "shard-2")).toEqual({ kind: "end" });
});

test("Positions that an earlier version has reached since are taken over", async () => {
  const folder = await temporaryFolder();
  const former = join(folder, "checkpoints.json");
  const checkpoints = checkpointsIn(join(folder, "checkpoints.sqlite"));
  checkpoints.save("source", "shard-1", at("9"));
  checkpoints.save("source", "shard-2", at("9"));
  const since = { "shard-1": at("10"), "shard-2": { kind: "end" }, "shard-3": at("3") };
  writeFileSync(former, JSON.stringify({ source: since }));

  checkpoints.takeOver(former);

  expect(checkpoints.position("source", "shard-1")).toEqual(at("10"));
  expect(checkpoints.position("source", "shard-2")).toEqual({ kind: "end" });
  expect(checkpoints.position("source", "shard-3")).toEqual(at("3"));
});

test("Positions in the database are not replaced with earlier ones of an earlier version", async () => {
  const folder = await temporaryFolder();
  const former = join(folder, "checkpoints.json");
  const checkpoints = checkpointsIn(join(folder, "checkpoints.sqlite"));
  checkpoints.save("source", "shard-1", at("10"));
  checkpoints.save("source", "shard-2", { kind: "end" });
  writeFileSync(former, JSON.stringify({ source: { "shard-1": at("9"), "shard-2": at("9") } }));

  checkpoints.takeOver(former);

  expect(checkpoints.position("source", "shard-1")).toEqual(at("10"));
  expect(checkpoints.position("source", "shard-2")).toEqual({ kind: "end" });
});

test("A reset removes the file of earlier versions: its positions are in a stream that no longer exists", async () => {
  const folder = await temporaryFolder();
  const former = join(folder, "checkpoints.json");
  writeFileSync(former, JSON.stringify({ source: { shard: at("1") } }));

  const data = new DataDirectory(folder, { version: 1, reset: true });
  onTestFinished(() => data.release());

  expect(data.formerCheckpointsFile).toBe(former);
  expect(existsSync(former)).toBe(false);
});
