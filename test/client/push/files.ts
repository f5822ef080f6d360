import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A file of this name in a folder of its own. */
export async function aFile(name: string, content: string | Uint8Array): Promise<string> {
  const file = join(await mkdtemp(join(tmpdir(), "candidates-push-")), name);
  await writeFile(file, content);
  return file;
}

export function ndjson(rows: readonly unknown[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join("");
}

/** The entries of an NDJSON file; none when there is no such file. */
export async function entriesOf(file: string): Promise<Record<string, unknown>[]> {
  const text = await readFile(file, "utf8").catch(() => "");
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}
