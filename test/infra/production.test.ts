import { Match, type Template } from "aws-cdk-lib/assertions";
import { CfnDeploymentGroup } from "aws-cdk-lib/aws-codedeploy";
import { describe, expect, inject, test, vi } from "vitest";
import { settingsOf, stackOf, synthesisable } from "./stacks.ts";
import { templatesIn } from "./synthesised.ts";

// What the functions are made of is not tested here: to bundle it for each synthesis takes seconds.
vi.mock("../../infra/bundles.ts", () => ({ bundleOf: () => "functions" }));

const [development, production] = templatesIn(inject("assembly"));

test("production is deployed to the account and region that its settings name, and warns of alarms for nobody", () => {
  const deployTo = { account: "111122223333", region: "eu-west-1" };

  const pinned = stackOf({ ...settingsOf("production"), deployTo });

  expect(pinned).toMatchObject(deployTo);
  const warnings = pinned.node.findAll().flatMap(({ node }) => node.metadata);
  expect(warnings.filter(({ type }) => type === "aws:cdk:warning")).toEqual([
    expect.objectContaining({ data: expect.stringContaining("Nobody is notified") }),
  ]);
});

interface Alias {
  readonly UpdatePolicy: { readonly CodeDeployLambdaAliasUpdate: { DeploymentGroupName: { Ref: string } } };
}

describe("in production", () => {
  const template = production[1];
  const aliases = template.findResources("AWS::Lambda::Alias") as Record<string, Alias>;
  const groups = template.findResources("AWS::CodeDeploy::DeploymentGroup") as Record<
    string,
    { Properties: { AlarmConfiguration: { Enabled: boolean; Alarms: unknown[] } } }
  >;
  const properties = (type: string) =>
    Object.values(template.findResources(type)).map(
      (resource) => (resource as { Properties: Record<string, unknown> }).Properties,
    );

  test("every function is invoked by an alias, except those deployed with the routes, of a schedule, or of recoveries", () => {
    const isGradual = (invoker: unknown) =>
      !/GetDocumentation|RefuseMethod|ReleaseDeliveries|StartRecovery|GetRecovery|RecoverEvents/.test(
        JSON.stringify(invoker),
      );
    const invokers = [
      ...properties("AWS::ApiGateway::Method")
        .map(({ Integration }) => Integration as { Type: string })
        .filter(({ Type }) => Type === "AWS_PROXY"),
      ...properties("AWS::ApiGateway::Authorizer").map(({ AuthorizerUri }) => AuthorizerUri),
      ...properties("AWS::Lambda::EventSourceMapping").map(({ FunctionName }) => FunctionName),
    ];
    const gradual = invokers.filter(isGradual);
    const aliasOf = (invoker: unknown) =>
      Object.keys(aliases).find((alias) => JSON.stringify(invoker).includes(`"${alias}"`));
    const remedy = "name a function that is deployed at once in `isGradual` of this test";
    expect(
      gradual.filter((invoker) => !aliasOf(invoker)),
      remedy,
    ).toEqual([]);
    expect(new Set(gradual.map(aliasOf))).toEqual(new Set(Object.keys(aliases)));
    for (const { FunctionName } of properties("AWS::Lambda::Permission").filter(isGradual)) {
      expect(Object.keys(aliases)).toContain((FunctionName as { Ref: string }).Ref);
    }
  });

  test("each alias is deployed as a canary, and rolled back if an alarm fires or somebody stops it", () => {
    expect(Object.keys(groups)).toHaveLength(Object.keys(aliases).length);
    for (const [id, { UpdatePolicy }] of Object.entries(aliases)) {
      const group = groups[UpdatePolicy.CodeDeployLambdaAliasUpdate.DeploymentGroupName.Ref];
      expect(group, id).toMatchObject({
        Properties: {
          DeploymentConfigName: "CodeDeployDefault.LambdaCanary10Percent15Minutes",
          AutoRollbackConfiguration: {
            Enabled: true,
            Events: ["DEPLOYMENT_FAILURE", "DEPLOYMENT_STOP_ON_REQUEST", "DEPLOYMENT_STOP_ON_ALARM"],
          },
          AlarmConfiguration: { Enabled: true },
        },
      });
      // The API's, and its own (test/infra/gates.test.ts).
      expect(group?.Properties.AlarmConfiguration.Alarms, id).toHaveLength(2);
    }
  });

  test("an urgent deployment is immediate and checks no alarm", () => {
    const { stacks } = synthesisable({ urgent: "true" });
    const stack = stacks.find(({ stackName }) => stackName === "CandidateService-production");
    const urgent = stack?.node.findAll().filter((node) => node instanceof CfnDeploymentGroup) ?? [];
    expect(urgent).toHaveLength(Object.keys(groups).length);
    for (const group of urgent) {
      expect(stack?.resolve(group.alarmConfiguration)).toMatchObject({ enabled: false });
      expect(group.deploymentConfigName).toBe("CodeDeployDefault.LambdaAllAtOnce");
    }
  });

  test("the table is backed up daily and monthly into a locked vault that is retained with the stack deleted", () => {
    template.hasResourceProperties("AWS::Backup::BackupPlan", {
      BackupPlan: {
        BackupPlanRule: [
          Match.objectLike({ RuleName: "Daily", Lifecycle: { DeleteAfterDays: 3 } }),
          Match.objectLike({ RuleName: "Monthly", Lifecycle: { DeleteAfterDays: 90 } }),
        ],
      },
    });
    const [table] = Object.keys(template.findResources("AWS::DynamoDB::Table"));
    template.hasResourceProperties("AWS::Backup::BackupSelection", {
      BackupSelection: { Resources: [{ "Fn::GetAtt": [table, "Arn"] }] },
    });
    template.hasResource("AWS::Backup::BackupVault", {
      DeletionPolicy: "RetainExceptOnCreate",
      Properties: {
        // With ChangeableForDays nobody could ever remove the lock again.
        LockConfiguration: { MinRetentionDays: 3, MaxRetentionDays: 90, ChangeableForDays: Match.absent() },
      },
    });
  });

  test("an alarm fires if no backup was completed in a day, whatever became of the job", () => {
    const [vault] = Object.keys(template.findResources("AWS::Backup::BackupVault"));
    template.hasResourceProperties("AWS::CloudWatch::Alarm", {
      Namespace: "AWS/Backup",
      MetricName: "NumberOfBackupJobsCompleted",
      Dimensions: [{ Name: "BackupVaultName", Value: { "Fn::GetAtt": [vault, "BackupVaultName"] } }],
      Statistic: "Sum",
      Period: 24 * 60 * 60,
      EvaluationPeriods: 1,
      ComparisonOperator: "LessThanThreshold",
      Threshold: 1,
      TreatMissingData: "breaching",
      // Days, not any 24 hours: a backup may begin hours later than that of the day before.
      EvaluationWindow: { WallClockWindow: { Timezone: "UTC" } },
      // The first day may begin after the time of its backup.
      WarmUpConfiguration: {
        WarmUpPeriodDurationInMinutes: 2 * 24 * 60,
        OnlyStartEvaluatingAfterWarmUpPeriodEnds: true,
      },
    });
  });

  test("an alarm fires when a fifth of the executions that functions without a reservation share is left", () => {
    const { concurrency } = settingsOf("production");
    if (!concurrency) throw new Error("Production reserves executions.");
    const reserved = Object.values(concurrency.reserved).reduce((sum, executions) => sum + executions, 0);
    const [alarm] = Object.values(
      template.findResources("AWS::CloudWatch::Alarm", {
        Properties: { MetricName: "ClaimedAccountConcurrency" },
      }),
    );

    // Of the account and the region: the metric has no dimensions.
    expect(alarm?.["Properties"]).not.toHaveProperty("Dimensions");
    expect(alarm?.["Properties"]).toMatchObject({
      Namespace: "AWS/Lambda",
      Statistic: "Maximum",
      Period: 60,
      EvaluationPeriods: 5,
      ComparisonOperator: "GreaterThanThreshold",
      Threshold: Math.floor(reserved + 0.8 * (concurrency.account - reserved)),
    });
  });

  test("the role with which AWS Backup deletes expired backups outlives the stack, as the vault does", () => {
    const [role] = Object.values(template.findResources("AWS::Backup::BackupSelection")).map(
      ({ Properties }): string => Properties["BackupSelection"].IamRoleArn["Fn::GetAtt"][0],
    );
    expect(template.findResources("AWS::IAM::Role")[role ?? ""]).toMatchObject({
      DeletionPolicy: "RetainExceptOnCreate",
      UpdateReplacePolicy: "Retain",
      Properties: {
        ManagedPolicyArns: ["Backup", "Restores"].map((what) => ({
          "Fn::Join": [
            "",
            expect.arrayContaining([`:iam::aws:policy/service-role/AWSBackupServiceRolePolicyFor${what}`]),
          ],
        })),
      },
    });
  });
});

test("production has no sandbox: no path, function, role or log of it", () => {
  const nameOf = (template: Template) => JSON.stringify(template.toJSON()).match(/sandbox/gi) ?? [];

  expect(nameOf(development[1])).not.toEqual([]);
  expect(nameOf(production[1])).toEqual([]);
});
