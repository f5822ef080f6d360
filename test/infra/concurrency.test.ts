import { expect, test } from "vitest";
import { checkConcurrency } from "../../infra/concurrency.ts";
import { type EnvironmentSettings, environments } from "../../infra/environments.ts";

const production = environments.find(({ name }) => name === "production");
if (!production?.concurrency) throw new Error("Production reserves executions.");
const { concurrency } = production;

const refusal = (settings: EnvironmentSettings) => () => checkConcurrency(settings);

test("what production reserves, an account with AWS's default quota can give", () => {
  expect(refusal(production)).not.toThrow();
});

test("a new account's quota is told before anything is deployed", () => {
  const settings = { ...production, concurrency: { ...concurrency, account: 10 } };
  expect(refusal(settings)).toThrow(/Raise the quota or reserve less/);
});

test("without reservations any account will do", () => {
  const { concurrency: _, ...settings } = production;
  expect(refusal(settings)).not.toThrow();
});

test.each([
  ["deliver-webhook", "deliveryConcurrency"],
  ["retry-webhook", "retryConcurrency"],
] as const)("%s has an execution for every batch that its queue gives it", (consumer, setting) => {
  const webhooks = { ...production.webhooks, [setting]: 101 };
  expect(refusal({ ...production, webhooks })).toThrow(`${consumer} of production processes 101 batches`);
});
