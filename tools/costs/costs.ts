/** The command behind `npm run costs`: updates the tables of costs in the documents that contain them. */
import { readFileSync, writeFileSync } from "node:fs";
import { SIZES, totals, withCosts } from "./tables.ts";

for (const [file, sizes] of Object.entries(SIZES)) {
  writeFileSync(file, withCosts(readFileSync(file, "utf8"), sizes));
  process.stdout.write(`Updated the costs in ${file}:\n${totals(sizes).join("\n")}\n`);
}
