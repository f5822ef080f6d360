import { expect, test } from "vitest";
import { quotaProblem } from "../../infra/concurrency.ts";
import { DELIVERY_LIMITS } from "../../infra/delivery-limits.ts";
import { Environments } from "../../infra/environment-settings.ts";
import { environments } from "../../infra/environments.ts";
import { synthesisable } from "./stacks.ts";

const production = environments.find(({ name }) => name === "production");
if (!production?.concurrency) throw new Error("Production reserves executions.");
const { concurrency } = production;

test("production's reserved concurrency fits into AWS's default account quota", () => {
  expect(quotaProblem(production)).toBeUndefined();
});

test("a concurrency quota that is too small is reported before anything is deployed", () => {
  const settings = { ...production, concurrency: { ...concurrency, account: 10 } };
  expect(quotaProblem(settings)).toMatch(/Raise the quota, reserve less/);
});

test("a quota that is too small for production is an error of its stack alone, so that development deploys", () => {
  const tooMuch = { ...production, concurrency: { ...concurrency, account: 10 } };
  const others = environments.filter(({ name }) => name !== "production");
  const { stacks } = synthesisable({}, [...others, tooMuch]);

  const errors = stacks.map(
    ({ node }) => node.metadata.filter(({ type }) => type === "aws:cdk:error").length,
  );

  expect(errors).toEqual([...others.map(() => 0), 1]);
});

test("an environment without reserved concurrency fits into any account's quota", () => {
  const { concurrency: _, ...settings } = production;
  expect(quotaProblem(settings)).toBeUndefined();
});

test("the limits for bursts fit into an account quota of 2,100", () => {
  const reserved = { ...concurrency.reserved, "deliver-webhook": 1_000, "retry-webhook": 400 };
  const webhooks = { ...production.webhooks, ...DELIVERY_LIMITS.forBursts };
  const settings = { ...production, concurrency: { account: 2_100, reserved }, webhooks };

  expect(Environments.safeParse([settings]).error).toBeUndefined();
  expect(quotaProblem(settings)).toBeUndefined();
});
