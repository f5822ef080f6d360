import { mkdtemp, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildSync } from "esbuild";
import { expect, test } from "vitest";
import { withSourcePositions } from "#runtime/source-positions";

const require = createRequire(import.meta.url);

test("a stack trace of a bundle shows source positions", async () => {
  const folder = await mkdtemp(join(tmpdir(), "source positions (a) "));
  const [source, bundle] = [join(folder, "failing.ts"), join(folder, "index.js")];
  await writeFile(source, "\n\nexport function fails(): never {\n  throw new Error('on purpose');\n}\n");
  buildSync({
    entryPoints: [source],
    outfile: bundle,
    bundle: true,
    minify: true,
    sourcemap: true,
    format: "cjs",
  });
  const { fails } = require(bundle) as { fails(): never };

  const stack = stackOf(fails);

  expect(stack).toContain(`${bundle}:1:`);
  expect(withSourcePositions(stack)).toContain("failing.ts:4:9");
  expect(withSourcePositions(stack)).not.toContain(bundle);
});

test("a stack trace of unbundled code is unchanged", () => {
  const stack = stackOf(() => {
    throw new Error("here");
  });
  expect(withSourcePositions(stack)).toBe(stack);
});

function stackOf(failing: () => never): string {
  try {
    return failing();
  } catch (error) {
    return (error as Error).stack ?? "";
  }
}
