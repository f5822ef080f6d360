/** The command behind `npm run openapi`: writes the description that is published. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { openApiJson } from "./document.ts";

const description = openApiJson();
writeFileSync(join(import.meta.dirname, "../../docs/openapi.json"), description);
const { paths, webhooks } = JSON.parse(description);
process.stdout.write(
  `Wrote docs/openapi.json: ${Object.keys(paths).length} paths, ${Object.keys(webhooks).length} events.\n`,
);
