/** The command behind `npm run costs`: puts the tables of costs into the documents that tell them. */
import { readFileSync, writeFileSync } from "node:fs";
import { TOLD, withCosts } from "./tables.ts";

for (const [file, sizes] of Object.entries(TOLD)) {
  writeFileSync(file, withCosts(readFileSync(file, "utf8"), sizes));
  process.stdout.write(`${file} tells what ${sizes.length} sizes cost.\n`);
}
