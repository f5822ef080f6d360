import { existsSync, readFileSync, symlinkSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Checkpoints } from "../../../local/event-sources/checkpoints.ts";
import { temporaryFolder } from "../../builders/temporary-folder.ts";

/** For a file that can be written. */
function fail(error: unknown): void {
  throw error;
}

const at = (sequenceNumber: string) => ({ kind: "after", sequenceNumber }) as const;

test("A restart finds the last position of each shard", async () => {
  const file = join(await temporaryFolder(), "checkpoints.json");
  const before = new Checkpoints(file, fail);
  before.save("source", "shard-1", at("1"));
  before.save("source", "shard-2", { kind: "end" });
  before.save("source", "shard-1", at("2"));

  before.flush();

  const after = new Checkpoints(file, fail);
  expect(after.knows("source")).toBe(true);
  expect(after.position("source", "shard-1")).toEqual(at("2"));
  expect(after.position("source", "shard-2")).toEqual({ kind: "end" });
});

test("Positions are written without being asked for, many at once", async () => {
  const file = join(await temporaryFolder(), "checkpoints.json");
  const checkpoints = new Checkpoints(file, fail);
  for (let record = 1; record <= 1_000; record++) checkpoints.save("source", "shard", at(String(record)));
  expect(existsSync(file)).toBe(false);

  await expect.poll(() => existsSync(file)).toBe(true);

  expect(readFileSync(file, "utf8")).toContain('"1000"');
});

test.skipIf(process.platform !== "linux")(
  "A position that a full disk does not take is reported, and written with a later one",
  async () => {
    const file = join(await temporaryFolder(), "checkpoints.json");
    const draft = `${file}.${process.pid}.draft`;
    symlinkSync("/dev/full", draft);
    const reported = Promise.withResolvers<unknown>();
    const checkpoints = new Checkpoints(file, reported.resolve);
    checkpoints.save("source", "shard-1", at("1"));
    expect(await reported.promise).toMatchObject({ code: "ENOSPC" });

    unlinkSync(draft);
    checkpoints.save("source", "shard-2", at("2"));
    checkpoints.flush();

    const after = new Checkpoints(file, fail);
    expect(after.position("source", "shard-1")).toEqual(at("1"));
    expect(after.position("source", "shard-2")).toEqual(at("2"));
  },
);
