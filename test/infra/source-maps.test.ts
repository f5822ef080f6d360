import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { decode } from "@jridgewell/sourcemap-codec";
import { buildSync } from "esbuild";
import { beforeAll, expect, test } from "vitest";
import { withSourcePositions } from "#runtime/source-positions";
import { bundling } from "../../infra/bundling.ts";
import { keepLinesOf } from "../../infra/source-maps.ts";

const require = createRequire(import.meta.url);

let bundle: string;
beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), "source-maps-"));
  const source = join(folder, "failing.ts");
  bundle = join(folder, "index.js");
  await writeFile(
    source,
    `const reasons = ["one", "two"];

export function fails(reason: number): never {
  if (reason > 0) { const text = reasons[reason]; throw new Error(text); }
  throw new Error(reasons[0]);
}
`,
  );
  buildSync({ ...bundling, entryPoints: [source], outfile: bundle });
  keepLinesOf(`${bundle}.map`);
});

test.each([
  [0, "failing.ts:5:"],
  [1, "failing.ts:4:"],
])("a stack trace of a bundle has the source's line (%i)", (reason, position) => {
  const { fails } = require(bundle) as { fails(reason: number): never };
  let stack = "";
  try {
    fails(reason);
  } catch (error) {
    stack = (error as Error).stack ?? "";
  }

  expect(stack).toContain(`${bundle}:1:`);
  expect(withSourcePositions(stack)).toContain(position);
});

test("the map has each line once where its code is in one piece, and no names", async () => {
  const map = JSON.parse(await readFile(`${bundle}.map`, "utf8"));
  const lines = decode(map.mappings)
    .flat()
    .flatMap((segment) => segment[2] ?? []);

  expect(lines.filter((line, at) => line === lines[at - 1])).toEqual([]);
  expect(map.names).toEqual([]);
});
