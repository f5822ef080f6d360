import { globSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildSync } from "esbuild";
import { bundling } from "../../infra/bundling.ts";
import { temporaryFolder } from "../temporary-folder.ts";

/** Bundles `peers/` as functions are bundled. */
export function bundlePeers() {
  const folder = temporaryFolder("bench-peers-");
  buildSync({
    ...bundling,
    entryPoints: globSync("tools/bench/peers/*.ts", { cwd: bundling.absWorkingDir }),
    outdir: folder,
    entryNames: "[name]/index",
  });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "commonjs" }));
  return (name: string) => join(folder, name, "index.js");
}
