import { globSync, readFileSync } from "node:fs";

/**
 * The project's files that match a pattern, without those that .gitignore names. They are not asked of git, which is
 * not needed for anything else and does not know the files of a downloaded archive.
 */
export function sourceFiles(pattern: string | readonly string[]): string[] {
  const ignored = readFileSync(".gitignore", "utf8").trim().split("\n");
  const exclude = ignored.map((line) => `**/${line.replace(/\/$/, "")}`);
  return globSync(pattern, { exclude }).sort();
}
