import { describe, expect, test } from "vitest";
import { checkConcurrency } from "../../infra/concurrency.ts";
import { type BatchConcurrency, DELIVERY_LIMITS, SIDE_BATCHES } from "../../infra/delivery-limits.ts";
import { type EnvironmentSettings, environments } from "../../infra/environments.ts";

const production = environments.find(({ name }) => name === "production");
if (!production?.concurrency) throw new Error("Production reserves executions.");
const { concurrency } = production;

const refusal = (settings: EnvironmentSettings) => () => checkConcurrency(settings);

test("production's reserved concurrency fits into AWS's default account quota", () => {
  expect(refusal(production)).not.toThrow();
});

test("a concurrency quota that is too small is reported before anything is deployed", () => {
  const settings = { ...production, concurrency: { ...concurrency, account: 10 } };
  expect(refusal(settings)).toThrow(/Raise the quota or reserve less/);
});

test("an environment without reserved concurrency fits into any account's quota", () => {
  const { concurrency: _, ...settings } = production;
  expect(refusal(settings)).not.toThrow();
});

describe.each([
  ["deliver-webhook", "deliveryConcurrency", SIDE_BATCHES],
  ["retry-webhook", "retryConcurrency", 0],
] as const)("%s", (consumer, setting, others) => {
  const withBatches = (batches: BatchConcurrency) => {
    const reserved = { ...concurrency.reserved, [consumer]: 200 + others };
    const webhooks = { ...production.webhooks, [setting]: batches };
    return refusal({ ...production, concurrency: { ...concurrency, reserved }, webhooks });
  };

  test("reserves an execution for every batch that its queues can invoke it with", () => {
    expect(withBatches({ atMost: 200 })).not.toThrow();
    expect(withBatches({ atMost: 201 })).toThrow(
      `${consumer} of production processes ${201 + others} batches`,
    );
  });

  test("reserves ten executions for every provisioned poller that its queue can have", () => {
    expect(withBatches({ provisioned: { atLeast: 2, atMost: 20 } })).not.toThrow();
    expect(withBatches({ provisioned: { atLeast: 2, atMost: 21 } })).toThrow(
      `${consumer} of production processes ${210 + others} batches`,
    );
  });
});

test("the limits for bursts fit into an account quota of 2,100", () => {
  const reserved = { ...concurrency.reserved, "deliver-webhook": 1_020, "retry-webhook": 400 };
  const webhooks = { ...production.webhooks, ...DELIVERY_LIMITS.forBursts };
  expect(refusal({ ...production, concurrency: { account: 2_100, reserved }, webhooks })).not.toThrow();
});
