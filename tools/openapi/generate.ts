/** The command behind `npm run openapi`: writes the description that is published. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { openApiJson } from "./document.ts";

writeFileSync(join(import.meta.dirname, "../../docs/openapi.json"), openApiJson());
