import { CfnBudget } from "aws-cdk-lib/aws-budgets";
import { Construct } from "constructs";
import type { MonthlyBudget } from "./environment-settings.ts";

interface CostBudgetProps {
  readonly budget: MonthlyBudget;
  /** A tag on all resources of the environment. Others of the account that have it count too. */
  readonly tag: { readonly key: string; readonly value: string };
}

/** Notifies an address when the month's cost exceeds 80 % of its budget, or its forecast exceeds the budget. */
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
