import { contentsOf } from "../../../infra/bundles.ts";
import type { Benchmark, Figure } from "../figure.ts";
import { REQUESTS } from "../requests.ts";

/** How many packages of the create function are told apart. */
const PACKAGES = 12;

export const benchmark: Benchmark = {
  title: "Bundles",
  method:
    "The size of minified bundles as they are deployed, without their source maps (1 kB is 1,000 bytes), and the share of each package in the bundle of create-candidate. Because they contain the AWS SDK, no operation of the API stays below 250 kB ([decision 0024](decisions/0024-cold-start.md)); `npm test` limits the size of each that a caller waits for or that posts webhooks.",
  async measure() {
    const sizes = Object.keys(REQUESTS)
      .map((name) => ({ name, bytes: contentsOf(name).bytes }))
      .sort((left, right) => left.bytes - right.bytes);
    const behindTheApi = sizes.filter(({ name }) => isBehindTheApi(name));
    const others = sizes.filter(({ name }) => !isBehindTheApi(name));
    return [
      ...behindTheApi.slice(0, 1).map(({ name, bytes }) => kilobytes(`smallest of the API: ${name}`, bytes)),
      ...behindTheApi.slice(-1).map(({ name, bytes }) => kilobytes(`largest of the API: ${name}`, bytes)),
      ...others.map(({ name, bytes }) => kilobytes(name, bytes)),
      ...packagesOf("create-candidate").map(([name, bytes]) =>
        kilobytes(`in create-candidate: ${name}`, bytes),
      ),
    ];
  },
};

function kilobytes(name: string, bytes: number): Figure {
  return { name, value: bytes / 1_000, unit: "kB" };
}

function isBehindTheApi(name: string): boolean {
  return !["publish-events", "deliver-aside", "deliver-webhook", "retry-webhook"].includes(name);
}

function packagesOf(name: string): [string, number][] {
  const bytes = new Map<string, number>();
  for (const [path, { bytesInOutput }] of Object.entries(contentsOf(name).inputs)) {
    const [, owner = "this project"] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path) ?? [];
    bytes.set(owner, (bytes.get(owner) ?? 0) + bytesInOutput);
  }
  return [...bytes].sort(([, left], [, right]) => right - left).slice(0, PACKAGES);
}
