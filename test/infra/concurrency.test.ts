import { expect, test } from "vitest";
import { checkConcurrency } from "../../infra/concurrency.ts";
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

test.each([
  ["deliver-webhook", "deliveryConcurrency"],
  ["retry-webhook", "retryConcurrency"],
] as const)("%s's concurrency covers every batch that its queue can invoke it with", (consumer, setting) => {
  const webhooks = { ...production.webhooks, [setting]: 101 };
  expect(refusal({ ...production, webhooks })).toThrow(`${consumer} of production processes 101 batches`);
});
