import { globSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildSync } from "esbuild";
import { bundling } from "../../infra/bundling.ts";

/** Bundles `peers/` as functions are bundled. */
export function bundlePeers() {
  const folder = mkdtempSync(join(tmpdir(), "bench-peers-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  buildSync({
    ...bundling,
    entryPoints: globSync("tools/bench/peers/*.ts", { cwd: bundling.absWorkingDir }),
    outdir: folder,
    entryNames: "[name]/index",
  });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "commonjs" }));
  return (name: string) => join(folder, name, "index.js");
}
