import { Stack } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { expect, test } from "vitest";
import { CostBudget } from "../../infra/cost-budget.ts";

test("a budget watches what carries the environment's tag, and tells its address twice", () => {
  const stack = new Stack();
  new CostBudget(stack, "CostBudget", {
    budget: { usDollars: 250, address: "platform@example.com" },
    tag: { key: "environment", value: "production" },
  });

  const [budget] = Object.values(Template.fromStack(stack).findResources("AWS::Budgets::Budget"));
  expect(budget?.["Properties"]).toMatchObject({
    Budget: {
      BudgetLimit: { Amount: 250, Unit: "USD" },
      CostFilters: { TagKeyValue: ["user:environment$production"] },
    },
    NotificationsWithSubscribers: [
      { Notification: { NotificationType: "ACTUAL", Threshold: 80 } },
      { Notification: { NotificationType: "FORECASTED", Threshold: 100 } },
    ],
  });
});
