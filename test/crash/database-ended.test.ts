import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../builders/temporary-folder.ts";
import { kill, startCommand } from "../local/start-command.ts";

test("npm start says that its database has ended, and ends", async () => {
  const LOCAL_DATA_DIR = await temporaryFolder();
  const command = startCommand({ LOCAL_DATA_DIR });
  await command.until("Press Ctrl-C to stop.");

  await kill(LOCAL_DATA_DIR, "java");

  expect(await command.ended).toEqual([1, null]);
  expect(await command.until("has ended")).toContain(
    `\nDynamoDB Local has ended. Its data is kept: start again. See ${join(LOCAL_DATA_DIR, "logs", "dynamodb-local.log")}.\n`,
  );
});
