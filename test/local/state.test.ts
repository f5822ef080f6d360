import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Engines } from "../../local/engines.ts";
import { DataDirectory } from "../../local/machine/data-directory.ts";
import { StackState } from "../../local/state.ts";
import { temporaryFolder } from "../builders/temporary-folder.ts";

test("A stack continues from the stream positions in the data of an earlier version", async () => {
  const folder = await temporaryFolder();
  const position = { kind: "after", sequenceNumber: "1" };
  writeFileSync(join(folder, "checkpoints.json"), JSON.stringify({ source: { shard: position } }));
  const data = new DataDirectory(folder, { version: 1 });
  onTestFinished(() => data.release());
  const unused = { endpoint: "http://localhost" };
  const engines = { dynamodb: unused, queues: unused } as unknown as Engines;

  const state = new StackState(engines, data.identity(), data, () => {});
  onTestFinished(() => state.close());

  expect(state.checkpoints.position("source", "shard")).toEqual(position);
});
