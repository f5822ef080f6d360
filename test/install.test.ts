import { execFileSync } from "node:child_process";
import { lstatSync, mkdtempSync, readdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import * as z from "zod";

const Package = z.object({
  resolved: z.string().optional(),
  deprecated: z.unknown().optional(),
  hasInstallScript: z.boolean().default(false),
});
const { packages } = z
  .object({ packages: z.record(z.string(), Package) })
  .parse(JSON.parse(readFileSync("package-lock.json", "utf8")));
const { allowScripts } = z
  .object({ allowScripts: z.record(z.string(), z.boolean()) })
  .parse(JSON.parse(readFileSync("package.json", "utf8")));

const nameOf = (path: string) => path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);

test("npm installs no package that its author has deprecated", () => {
  const deprecated = Object.entries(packages).filter(([, { deprecated }]) => deprecated !== undefined);

  expect(deprecated).toEqual([]);
});

test("every install script of a package is allowed or denied by package.json, and none besides", () => {
  const installing = Object.entries(packages).filter(
    ([path, { hasInstallScript }]) => hasInstallScript && path.startsWith("node_modules/"),
  );

  expect(installing.map(([path]) => nameOf(path)).sort()).toEqual(Object.keys(allowScripts).sort());
});

test("package-lock.json names no host: each package comes from the registry of the machine", () => {
  const resolved = Object.values(packages).flatMap(({ resolved = [] }) => resolved);

  expect(resolved.sort()).toEqual(["client", "local"]);
});

test("npm ci installs what the scripts run on, also where NODE_ENV is production", () => {
  const env = { ...process.env, NODE_ENV: "production" };

  expect(execFileSync("npm", ["config", "get", "omit"], { env, encoding: "utf8" }).trim()).toBe("");
});

test("npm ci installs on Node 20 also where a developer's settings contain engine-strict", () => {
  const userconfig = join(mkdtempSync(join(tmpdir(), "settings-")), "npmrc");
  writeFileSync(userconfig, "engine-strict=true\n");
  const env = { ...process.env, npm_config_userconfig: userconfig };

  expect(execFileSync("npm", ["config", "get", "engine-strict"], { env, encoding: "utf8" }).trim()).toBe(
    "false",
  );
});

test("npm ci installs at most 650 MB", () => {
  expect(megabytesOn(realpathSync("node_modules"))).toBeLessThanOrEqual(650);
});

/** What `du -sm` says of the packages in a folder, without the caches that tools keep beside them. */
function megabytesOn(folder: string): number {
  const counted = new Set<number>();
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const blocks = entries.map(({ parentPath, name }) => {
    const path = join(parentPath, name);
    if (/^\.(?!bin|package-lock)/.test(path.slice(folder.length + 1))) return 0;
    const { ino, blocks } = lstatSync(path);
    // A hard link is on disk once.
    if (counted.has(ino)) return 0;
    counted.add(ino);
    return blocks;
  });
  // A block is 512 bytes (stat(2)).
  return (blocks.reduce((total, one) => total + one, 0) * 512) / 2 ** 20;
}
