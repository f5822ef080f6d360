import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { linesOf, storedLines } from "../../../client/push/lines.ts";
import { aFile } from "./files.ts";

test("a file that was never written has no lines, and one that cannot be read is not taken for it", async () => {
  const folder = dirname(await aFile("journal", ""));

  expect(await Array.fromAsync(storedLines(join(folder, "none")))).toEqual([]);
  await expect(Array.fromAsync(storedLines(folder))).rejects.toThrow("EISDIR");
});

test("lines are read from parts of any size, and each may have the longest length", async () => {
  const text = "ab\n\ncde\nfghij\nk\n".repeat(3);
  for (let size = 1; size <= text.length; size += 1) {
    expect(await Array.fromAsync(linesOf(partsOf(text, size), 5)), `size ${size}`).toEqual(text.split("\n"));
  }
});

test("a line that is longer is refused with its number, in parts of any size", async () => {
  for (const size of [1, 2, 5, 7]) {
    await expect(Array.fromAsync(linesOf(partsOf("ab\n\ncdefghijklmnop", size), 5))).rejects.toThrow(
      /^Line 3 is too long for a candidate\./,
    );
  }
});

async function* partsOf(text: string, size: number) {
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size);
}
