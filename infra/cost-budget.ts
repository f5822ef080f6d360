import { CfnBudget } from "aws-cdk-lib/aws-budgets";
import { Construct } from "constructs";
import type { MonthlyBudget } from "./environments.ts";

interface CostBudgetProps {
  readonly budget: MonthlyBudget;
  /** A tag that all that the environment consists of carries, and nothing else does. */
  readonly tag: { readonly key: string; readonly value: string };
}

/** Notifies an address when a month costs four fifths of its budget, or will cost more than all of it. */
export class CostBudget extends Construct {
  constructor(scope: Construct, id: string, { budget, tag }: CostBudgetProps) {
    super(scope, id);
    const notification = (notificationType: "ACTUAL" | "FORECASTED", threshold: number) => ({
      notification: {
        notificationType,
        comparisonOperator: "GREATER_THAN",
        threshold,
        thresholdType: "PERCENTAGE",
      },
      subscribers: [{ subscriptionType: "EMAIL", address: budget.address }],
    });
    new CfnBudget(this, "Monthly", {
      budget: {
        budgetType: "COST",
        timeUnit: "MONTHLY",
        budgetLimit: { amount: budget.usDollars, unit: "USD" },
        costFilters: { TagKeyValue: [`user:${tag.key}$${tag.value}`] },
      },
      notificationsWithSubscribers: [notification("ACTUAL", 80), notification("FORECASTED", 100)],
    });
  }
}
