import { join } from "node:path";
import { bundleOf } from "../../../infra/bundles.ts";
import { bundlePeers } from "../bundled-peers.ts";
import { type Benchmark, type Figure, median } from "../figure.ts";
import { lambdaEnvironment, startProcess } from "../processes.ts";
import { REQUESTS } from "../requests.ts";

const ROUNDS = 9;

interface FirstResponse {
  readonly ms: number;
  readonly processorMs: number;
  /** Of an operation of the API. */
  readonly statusCode?: number;
}

interface Case {
  readonly name: string;
  readonly bundle: string;
  readonly request?: unknown;
}

export const benchmark: Benchmark = {
  title: "Cold start",
  method:
    "The time from the start of the Node process to the handler's first response. Another process on this machine stands in for AWS and responds at once. Each function is its deployed bundle; create-candidate gets the realistic submission. The peer is a handler that does nothing.",
  async measure() {
    const peer = bundlePeers();
    const cases: readonly Case[] = [
      { name: "a handler that does nothing", bundle: peer("empty-handler") },
      { name: "one put by the AWS SDK", bundle: peer("sdk-put") },
      ...Object.entries(REQUESTS).map(([name, request]) => ({
        name,
        bundle: join(bundleOf(name), "index.js"),
        request,
      })),
    ];
    const stub = await startProcess<string>("aws-stub.ts");
    const responses = new Map(cases.map(({ name }) => [name, [] as FirstResponse[]]));
    // The first round warms the file system.
    for (let round = 0; round <= ROUNDS; round++) {
      for (const each of cases) {
        const response = await firstResponse(each, stub.ready);
        if (round > 0) responses.get(each.name)?.push(response);
      }
    }
    await stub.stop();
    const of = (name: string, measured: "ms" | "processorMs") =>
      median((responses.get(name) ?? []).map((response) => response[measured]));
    const [nothing, ...others] = cases;
    const empty = nothing?.name ?? "";
    return [
      ...others.map(
        ({ name }): Figure => ({
          name,
          value: of(name, "ms"),
          unit: "ms",
          peer: { name: empty, value: of(empty, "ms") },
        }),
      ),
      {
        name: "create-candidate, processor time",
        value: of("create-candidate", "processorMs"),
        unit: "ms",
        peer: { name: empty, value: of(empty, "processorMs") },
      },
    ];
  },
};

async function firstResponse({ name, bundle, request = {} }: Case, url: string): Promise<FirstResponse> {
  const { ready, stop } = await startProcess<FirstResponse>("first-response.mjs", {
    ...lambdaEnvironment(url),
    BUNDLE: bundle,
    EVENT: JSON.stringify(request),
  });
  await stop();
  if (ready.statusCode !== undefined && ready.statusCode >= 500) throw new Error(`${name} fails.`);
  return ready;
}
