import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { buildSync } from "esbuild";
import { expect, test } from "vitest";
import { KeptBundles, sourcesOf } from "../../infra/kept-bundles.ts";
import { temporaryFolder } from "../builders/temporary-folder.ts";

/** A project with a function that imports a file, built once into a folder of kept bundles. */
async function aBuiltProject(begunAt = Number.POSITIVE_INFINITY) {
  const root = await temporaryFolder();
  const folder = await temporaryFolder();
  await writeFile(join(root, "package.json"), "{}");
  await writeFile(join(root, "rule.ts"), "export const rule = 1;");
  await writeFile(join(root, "unused.ts"), "export const unused = 1;");
  await writeFile(join(root, "entry.ts"), `export { rule } from "./rule.ts"; import "./unused.ts";`);
  const { metafile } = buildSync({
    absWorkingDir: root,
    entryPoints: ["entry.ts"],
    bundle: true,
    metafile: true,
    write: false,
    logLevel: "silent",
  });
  new KeptBundles(folder, root).add("entry", sourcesOf("entry.ts", metafile), begunAt);
  return { root, later: () => new KeptBundles(folder, root) };
}

test("A later run keeps a bundle whose sources are as they were", async () => {
  const { later } = await aBuiltProject();
  expect(later().has("entry")).toBe(true);
  expect(later().has("another")).toBe(false);
});

test.each(["entry.ts", "rule.ts", "unused.ts", "package.json"])(
  "A later run builds a bundle again whose %s has changed",
  async (file) => {
    const { root, later } = await aBuiltProject();
    await writeFile(join(root, file), "{ changed: true }");
    expect(later().has("entry")).toBe(false);
  },
);

test("A bundle with a deleted source is built again, also if the source returns before it is built", async () => {
  const { root, later } = await aBuiltProject();
  await rm(join(root, "rule.ts"));
  expect(later().has("entry")).toBe(false);

  await writeFile(join(root, "rule.ts"), "export const rule = 1;");
  expect(later().has("entry")).toBe(false);
});

test("A bundle is built again if a source was changed after the build began", async () => {
  const { later } = await aBuiltProject(0);
  expect(later().has("entry")).toBe(false);
});

test("Pages are written again when one of their files is new", async () => {
  const { later } = await aBuiltProject();
  expect(later().has("entry", ["rule.ts"])).toBe(true);
  expect(later().has("entry", ["rule.ts", "another.ts"])).toBe(false);
});
