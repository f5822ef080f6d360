import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";

const SAMPLES = "docs/guides/samples";

// A receiver that runs shows no order: its output and its response arrive at the same time.
test("every receiver stores an event before it acknowledges it", async () => {
  const receivers = (await readdir(SAMPLES)).filter((name) => /^receiver\./i.test(name));

  expect(receivers).toHaveLength(6);
  for (const receiver of receivers) {
    const source = await readFile(join(SAMPLES, receiver), "utf8");
    const stores = source.indexOf("remember the ids");
    expect(stores, receiver).toBeGreaterThan(0);
    expect(source.search(/204|StatusNoContent/), receiver).toBeGreaterThan(stores);
  }
});
