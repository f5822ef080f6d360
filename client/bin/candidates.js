#!/usr/bin/env node
// The package holds the command as one bundle. A clone runs its sources, which Node.js before 24.3 cannot without a
// warning: it needs their bundle too.
import { existsSync, readFileSync, renameSync } from "node:fs";
import { fileURLToPath } from "node:url";

const source = new URL("../command/candidates.ts", import.meta.url);
const bundle = new URL("../dist/candidates.js", import.meta.url);
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);

if (!existsSync(source)) {
  await import(bundle.href);
} else if (major > 24 || (major === 24 && minor >= 3)) {
  await import(source.href);
} else {
  await bundleSources();
  await import(bundle.href);
}

async function bundleSources() {
  const options = JSON.parse(readFileSync(new URL("../bundle.json", import.meta.url), "utf8"));
  const { build } = await import("esbuild").catch((error) => {
    if (error.code !== "ERR_MODULE_NOT_FOUND") throw error;
    process.stderr.write("Run npm ci first.\n");
    process.exit(1);
  });
  // Renamed when it is complete: another command may be reading it.
  const outfile = `${fileURLToPath(bundle)}.${process.pid}`;
  await build({ ...options, entryPoints: [fileURLToPath(source)], outfile });
  renameSync(outfile, bundle);
}
