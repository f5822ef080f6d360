import { globSync } from "node:fs";
import { basename } from "node:path";
import { expect, test } from "vitest";
import { contentsOf } from "../../infra/bundles.ts";

const KILOBYTE = 1_000;

const waitedFor = globSync("functions/*/*.ts")
  .map((path) => ({ name: basename(path, ".ts"), contents: contentsOf(basename(path, ".ts")) }))
  .filter(
    ({ name, contents }) => name === "authorize-request" || "lib/runtime/operation.ts" in contents.inputs,
  );

test("the bundle of a function that a caller waits for is small, for its cold start", () => {
  expect(waitedFor.length).toBeGreaterThan(9);
  for (const { name, contents } of waitedFor) {
    const clients = new Set(
      Object.keys(contents.inputs).flatMap((path) => /@aws-sdk\/client-[^/]+/.exec(path) ?? []),
    );
    expect(clients.size, name).toBeLessThanOrEqual(2);
    // A batch takes longer than a single request: what loads its metrics matters less.
    const metrics = "lib/runtime/metrics.ts" in contents.inputs ? 11 : 0;
    expect(contents.bytes, name).toBeLessThanOrEqual((clients.size > 1 ? 306 : 279 + metrics) * KILOBYTE);
  }
});
