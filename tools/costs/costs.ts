/** The command behind `npm run costs`: updates the tables of costs in the documents that contain them. */
import { readFileSync, writeFileSync } from "node:fs";
import { SIZES, withCosts } from "./tables.ts";

for (const [file, sizes] of Object.entries(SIZES)) {
  writeFileSync(file, withCosts(readFileSync(file, "utf8"), sizes));
  const shown = sizes.map((size) => size.toLocaleString("en-US")).join(", ");
  process.stdout.write(`Updated the costs in ${file} for ${shown} candidates a year.\n`);
}
