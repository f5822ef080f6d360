import { statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test, vi } from "vitest";
import { emptyWriteAheadLog, useWriteAheadLog } from "../../../local/dynamodb/write-ahead-log.ts";
import { REGION } from "../../../local/template.ts";
import { temporaryFolder } from "../../builders/temporary-folder.ts";

const ACCESS_KEY_ID = "LOCALWRITEAHEADLOG0000";
const MIB = 1024 * 1024;

test("the log of a database whose process never empties it is reused once it has 4 MiB", async () => {
  const folder = await temporaryFolder();
  const file = join(folder, `${ACCESS_KEY_ID}_${REGION}.db`);
  useWriteAheadLog(folder, ACCESS_KEY_ID);
  // As DynamoDB Local does.
  const engine = new DatabaseSync(file);
  onTestFinished(() => engine.close());
  engine.exec("PRAGMA wal_autocheckpoint = 0; CREATE TABLE items (item BLOB)");
  const insert = engine.prepare("INSERT INTO items VALUES (zeroblob(?))");
  const onFault = vi.fn();
  onTestFinished(emptyWriteAheadLog(folder, ACCESS_KEY_ID, onFault, 5));

  for (let written = 0; written < 10; written++) {
    insert.run(3 * MIB);
    await vi.waitFor(
      () => {
        if (statSync(`${file}-wal`).size < 4 * MIB) return;
        expect(statSync(file).size).toBeGreaterThan(written * 3 * MIB);
      },
      { timeout: 4_000 },
    );
  }

  expect(statSync(`${file}-wal`).size).toBeLessThan(10 * MIB);
  expect(engine.prepare("SELECT count(*) AS items FROM items").get()).toEqual({ items: 10 });
  expect(onFault).not.toHaveBeenCalled();
});
