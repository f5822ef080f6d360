import { readFile } from "node:fs/promises";

/** The TypeScript examples of a Markdown file, each a whole module. */
export async function examplesIn(file: string): Promise<string[]> {
  const text = await readFile(file, "utf8");
  return [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, example = ""]) => example);
}
