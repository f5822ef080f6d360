import { contentsOf } from "../../../infra/bundles.ts";
import type { Benchmark, Figure } from "../figure.ts";
import { REQUESTS } from "../requests.ts";

/** How many packages of the create function are told apart. */
const PACKAGES = 12;

export const benchmark: Benchmark = {
  title: "Bundles",
  method:
    "Bytes of each function's minified bundle as it is deployed, without its source map (1 kB is 1,000 bytes), and those of create-candidate by package.",
  async measure() {
    return [
      ...Object.keys(REQUESTS).map(
        (name): Figure => ({
          name,
          value: contentsOf(name).bytes / 1_000,
          unit: "kB",
          ...(!isBehindTheApi(name) && { goal: { atMost: 250 } }),
        }),
      ),
      ...packagesOf("create-candidate").map(
        ([name, bytes]): Figure => ({
          name: `in create-candidate: ${name}`,
          value: bytes / 1_000,
          unit: "kB",
        }),
      ),
    ];
  },
};

function isBehindTheApi(name: string): boolean {
  return name === "publish-events" || name === "deliver-webhook";
}

function packagesOf(name: string): [string, number][] {
  const bytes = new Map<string, number>();
  for (const [path, { bytesInOutput }] of Object.entries(contentsOf(name).inputs)) {
    const [, owner = "this project"] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path) ?? [];
    bytes.set(owner, (bytes.get(owner) ?? 0) + bytesInOutput);
  }
  return [...bytes].sort(([, left], [, right]) => right - left).slice(0, PACKAGES);
}
