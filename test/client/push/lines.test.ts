import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { storedLines } from "../../../client/push/lines.ts";
import { aFile } from "./files.ts";

test("a file that was never written has no lines, and one that cannot be read is not taken for it", async () => {
  const folder = dirname(await aFile("journal", ""));

  expect(await Array.fromAsync(storedLines(join(folder, "none")))).toEqual([]);
  await expect(Array.fromAsync(storedLines(folder))).rejects.toThrow("EISDIR");
});
