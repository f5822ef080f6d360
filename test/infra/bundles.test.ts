import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, inject, test } from "vitest";
import { readAssembly } from "../../local/assembly.ts";
import { STACK } from "../../local/service/project.ts";

const KILOBYTE = 1_000;

/** The functions' bundles in the assembly, each with its bytes, its sources that have code in it, and its variables. */
const bundles = readAssembly({
  directory: inject("assembly"),
  stackName: STACK,
  queuesEndpoint: "http://queues",
}).functions.map(({ name, codeDirectory, environment }) => {
  const bundle = join(codeDirectory, "index.js");
  const { sources }: { sources: string[] } = JSON.parse(readFileSync(`${bundle}.map`, "utf8"));
  return {
    name,
    bytes: statSync(bundle).size,
    mapBytes: statSync(`${bundle}.map`).size,
    sources,
    environment,
  };
});

test("the bundle of a function that a caller waits for is small, for its cold start", () => {
  const waitedFor = bundles.filter(
    ({ name, sources }) =>
      name.endsWith("-authorize-request") || includes(sources, "lib/runtime/operation.ts"),
  );
  expect(waitedFor.length).toBeGreaterThan(9);
  for (const { name, bytes, sources } of waitedFor) {
    const clients = new Set(sources.flatMap((path) => /@aws-sdk\/client-[^/]+/.exec(path) ?? []));
    expect(clients.size, name).toBeLessThanOrEqual(2);
    // A batch takes longer than a single request: what loads its metrics matters less.
    const metrics = includes(sources, "lib/runtime/metrics.ts") ? 12 : 0;
    expect(bytes, name).toBeLessThanOrEqual((clients.size > 1 ? 306 : 279 + metrics) * KILOBYTE);
  }
});

test("the bundles of functions that post webhooks have undici's client, but not its index", () => {
  const posting = bundles.filter(({ sources }) => includes(sources, "undici/lib/dispatcher/client.js"));
  expect(posting.map(({ name }) => name)).toEqual([
    expect.stringMatching(/-deliver-webhook$/),
    expect.stringMatching(/-deliver-aside$/),
    expect.stringMatching(/-retry-webhook$/),
  ]);
  for (const { name, bytes, sources } of posting) {
    expect(includes(sources, "undici/index.js"), name).toBe(false);
    expect(bytes, name).toBeLessThanOrEqual(680 * KILOBYTE);
  }
});

test("the source maps are small, for the first error that an execution environment logs", () => {
  for (const { name, bytes, mapBytes } of bundles) {
    expect(mapBytes / bytes, name).toBeLessThan(0.5);
  }
});

// Without one, Powertools records them in its `default_namespace`, where no alarm looks.
test("the functions that record metrics have the stack's namespace, and no others do", () => {
  const recording = bundles.filter(({ sources }) => includes(sources, "lib/runtime/metrics.ts"));
  const named = bundles.filter(({ environment }) => environment["POWERTOOLS_METRICS_NAMESPACE"] === STACK);

  expect(recording.map(({ name }) => name)).not.toEqual([]);
  expect(named.map(({ name }) => name)).toEqual(recording.map(({ name }) => name));
});

test("the bundles are the same in every checkout: their source maps name no folder outside the project", () => {
  const root = join(import.meta.dirname, "../..");
  for (const { name, sources } of bundles) {
    const missing = sources.filter(
      (source) => !existsSync(join(root, "node_modules/.cache/any/any", source)),
    );
    expect(missing, name).toEqual([]);
  }
});

/** Whether a source is among those of a source map, which has them relative to the bundle. */
function includes(sources: readonly string[], path: string): boolean {
  return sources.some((source) => source.endsWith(`/${path}`));
}
