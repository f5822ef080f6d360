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

test("the delivery function has an execution for every batch that its queues give it", () => {
  const webhooks = { ...production.webhooks, deliveryConcurrency: 101 };
  expect(refusal({ ...production, webhooks })).toThrow(/delivers 201 batches at once/);
});
