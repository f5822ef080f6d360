import { Stack } from "aws-cdk-lib";
import { Annotations, Match, Template } from "aws-cdk-lib/assertions";
import { CfnBackupSelection } from "aws-cdk-lib/aws-backup";
import { CfnRole } from "aws-cdk-lib/aws-iam";
import { CfnFunction } from "aws-cdk-lib/aws-lambda";
import { describe, expect, inject, test, vi } from "vitest";
import { CandidateTable } from "../../infra/candidate-table.ts";
import { CostBudget } from "../../infra/cost-budget.ts";
import type { Statement } from "./permissions.ts";
import { settingsOf, stackOf } from "./stacks.ts";
import { templatesIn } from "./synthesised.ts";

// What the functions are made of is not tested here: to bundle it for each synthesis takes seconds.
vi.mock("../../infra/bundles.ts", () => ({ bundleOf: () => "functions" }));

const [, production] = templatesIn(inject("assembly"));

describe("an opt-in setting:", () => {
  test.each([
    ["accepted", ["dynamodb:DeleteItem", "dynamodb:GetItem", "dynamodb:PutItem"]],
    ["refused", []],
  ] as const)(
    "request-erasure with erasure requests %s has the table permissions %j",
    (erasureRequests, expected) => {
      const made = stackOf({ ...settingsOf("development"), erasureRequests })
        .node.findAll()
        .filter(({ node }) => node.path.includes("/RequestErasure"));
      const requestErasure = made.find((node) => node instanceof CfnFunction);
      const role = made.find((node) => node instanceof CfnRole);
      if (!requestErasure || !role) throw new Error("The function has a role.");

      const [{ policyDocument }]: [{ policyDocument: { Statement: Statement[] } }] = role.stack.resolve(
        role.policies,
      );
      const actions = policyDocument.Statement.flatMap(({ Action }) => Action);
      expect(actions.filter((action) => action.startsWith("dynamodb:"))).toEqual(expected);
      expect(role.stack.resolve(requestErasure.environment)).toMatchObject({
        // Without the table's name the function would not start.
        variables: { ERASURE_REQUESTS: erasureRequests, TABLE_NAME: expect.anything() },
      });
    },
  );

  test("a budget covers the resources with the environment's tag and notifies at two thresholds", () => {
    const stack = new Stack();
    new CostBudget(stack, "CostBudget", {
      budget: { usDollars: 250, address: "platform@example.com" },
      tag: { key: "environment", value: "production" },
    });

    const [budget] = Object.values(Template.fromStack(stack).findResources("AWS::Budgets::Budget"));
    expect(budget?.["Properties"]).toMatchObject({
      Budget: {
        BudgetType: "COST",
        TimeUnit: "MONTHLY",
        BudgetLimit: { Amount: 250, Unit: "USD" },
        CostFilters: { TagKeyValue: ["user:environment$production"] },
      },
      NotificationsWithSubscribers: (
        [
          ["ACTUAL", 80],
          ["FORECASTED", 100],
        ] as const
      ).map(([NotificationType, Threshold]) => ({
        Notification: {
          NotificationType,
          Threshold,
          ThresholdType: "PERCENTAGE",
          ComparisonOperator: "GREATER_THAN",
        },
        Subscribers: [{ SubscriptionType: "EMAIL", Address: "platform@example.com" }],
      })),
    });
  });

  test("an alarm address subscribes to the topic of the alarms, and a budget is made in production, without a warning", () => {
    const budget = { usDollars: 250, address: "finance@example.com" };
    const stack = stackOf({ ...settingsOf("production"), alarmAddress: "platform@example.com", budget });
    const template = Template.fromStack(stack);

    expect(Annotations.fromStack(stack).findWarning("*", Match.anyValue())).toEqual([]);
    const [topic] = Object.keys(template.findResources("AWS::SNS::Topic"));
    template.hasResourceProperties("AWS::SNS::Subscription", {
      Protocol: "email",
      Endpoint: "platform@example.com",
      TopicArn: { Ref: topic },
    });
    template.resourceCountIs("AWS::Budgets::Budget", 1);
  });

  test("each restored table has a backup selection of another name, which AWS Backup accepts", () => {
    const long = `${"candidates-".repeat(10)}restored`;
    const [own] = Object.values(production[1].findResources("AWS::Backup::BackupSelection"));
    const others = [`${long}-1`, `${long}-2`].map((restoredTable) => {
      const stack = stackOf({ ...settingsOf("production"), restoredTable });
      const [selection] = stack.node.findAll().filter((node) => node instanceof CfnBackupSelection);
      return stack.resolve(selection?.backupSelection).selectionName;
    });

    const names: string[] = [own?.["Properties"].BackupSelection.SelectionName, ...others];
    expect(new Set(names).size).toBe(3);
    for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9\-_.]{1,50}$/);
  });

  test("a restored table is imported unchanged, and the previous one is kept", () => {
    const tableOf = (restoredTable?: string) => {
      const stack = new Stack();
      new CandidateTable(stack, "CandidateTable", {
        settings: { ...settingsOf("production"), ...(restoredTable && { restoredTable }) },
      });
      const [table] = Object.entries(Template.fromStack(stack).findResources("AWS::DynamoDB::Table"));
      const [id = "", resource] = table ?? [];
      return { id, resource: resource as { readonly Properties: object } };
    };

    const own = tableOf();
    const restored = tableOf("candidates-restored");

    expect(restored.id).not.toBe(own.id);
    expect(restored.resource).toEqual({
      ...own.resource,
      Properties: { ...own.resource.Properties, TableName: "candidates-restored" },
    });
    // CloudFormation imports no resource without one, and leaves the table before where it is.
    expect(own.resource).toMatchObject({ DeletionPolicy: "Retain" });
  });
});
