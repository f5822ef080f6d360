import { describe, expect, test } from "vitest";
import { concurrencyProblems } from "../../infra/concurrency.ts";
import { type BatchConcurrency, DELIVERY_LIMITS } from "../../infra/delivery-limits.ts";
import { environments } from "../../infra/environments.ts";
import { synthesisable } from "./stacks.ts";

const production = environments.find(({ name }) => name === "production");
if (!production?.concurrency) throw new Error("Production reserves executions.");
const { concurrency } = production;

test("production's reserved concurrency fits into AWS's default account quota", () => {
  expect(concurrencyProblems(production)).toEqual([]);
});

test("a concurrency quota that is too small is reported before anything is deployed", () => {
  const settings = { ...production, concurrency: { ...concurrency, account: 10 } };
  expect(concurrencyProblems(settings)).toEqual([expect.stringMatching(/Raise the quota, reserve less/)]);
});

test("a quota that is too small for production is an error of its stack alone, so that development deploys", () => {
  const tooMuch = { ...production, concurrency: { ...concurrency, account: 10 } };
  const { stacks } = synthesisable({}, [
    ...environments.filter(({ name }) => name !== "production"),
    tooMuch,
  ]);

  const errors = stacks.map(
    ({ node }) => node.metadata.filter(({ type }) => type === "aws:cdk:error").length,
  );

  expect(errors).toEqual([0, 1]);
});

test("an environment without reserved concurrency fits into any account's quota", () => {
  const { concurrency: _, ...settings } = production;
  expect(concurrencyProblems(settings)).toEqual([]);
});

describe.each([
  ["deliver-webhook", "deliveryConcurrency"],
  ["deliver-aside", "sideConcurrency"],
  ["retry-webhook", "retryConcurrency"],
] as const)("%s", (consumer, setting) => {
  const withBatches = (batches: BatchConcurrency) => {
    const reserved = { ...concurrency.reserved, [consumer]: 200 };
    const webhooks = { ...production.webhooks, [setting]: batches };
    return concurrencyProblems({ ...production, concurrency: { account: 1_100, reserved }, webhooks });
  };

  test("reserves an execution for every batch that its queue can invoke it with", () => {
    expect(withBatches({ atMost: 200 })).toEqual([]);
    expect(withBatches({ atMost: 201 })).toEqual([
      expect.stringContaining(`${consumer} of production processes 201 batches`),
    ]);
  });

  test("reserves ten executions for every provisioned poller that its queue can have", () => {
    expect(withBatches({ provisioned: { atLeast: 2, atMost: 20 } })).toEqual([]);
    expect(withBatches({ provisioned: { atLeast: 2, atMost: 21 } })).toEqual([
      expect.stringContaining(`${consumer} of production processes 210 batches`),
    ]);
  });
});

test("the limits for bursts fit into an account quota of 2,100", () => {
  const reserved = { ...concurrency.reserved, "deliver-webhook": 1_000, "retry-webhook": 400 };
  const webhooks = { ...production.webhooks, ...DELIVERY_LIMITS.forBursts };
  expect(concurrencyProblems({ ...production, concurrency: { account: 2_100, reserved }, webhooks })).toEqual(
    [],
  );
});
