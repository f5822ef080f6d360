import { join } from "node:path";
import { build } from "esbuild";
import { bundling } from "../../../infra/bundling.ts";

/** Where the project "bundled" finds the webhook client. */
export const BUNDLED_CLIENT = join(
  bundling.absWorkingDir,
  "node_modules/.cache/bundled-webhook-client/index.cjs",
);

/** Bundles the webhook client as the functions are: minified, and with the parts of undici that they use. */
export async function setup(): Promise<void> {
  await build({
    ...bundling,
    entryPoints: ["lib/webhooks/delivery/webhook-client.ts"],
    outfile: BUNDLED_CLIENT,
  });
}
