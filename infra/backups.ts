import { Duration, RemovalPolicy, Stack, Validations } from "aws-cdk-lib";
import { BackupPlan, BackupPlanRule, BackupResource, BackupVault } from "aws-cdk-lib/aws-backup";
import { Metric } from "aws-cdk-lib/aws-cloudwatch";
import { Schedule } from "aws-cdk-lib/aws-events";
import { Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { Construct } from "constructs";
import type { CandidateTable } from "./candidate-table.ts";
import type { BackupRetention } from "./environment-settings.ts";
import type { Observability } from "./observability.ts";
import type { AlarmDefinition } from "./service-alarms.ts";

interface BackupsProps {
  readonly retention: BackupRetention;
  readonly table: CandidateTable;
  readonly observability: Observability;
}

/** The table's backups, in a vault that outlives the table and locks backups for their retention period. */
export class Backups extends Construct {
  constructor(scope: Construct, id: string, { retention, table, observability }: BackupsProps) {
    super(scope, id);
    const { dailyDays, monthlyDays } = retention;
    const vault = new BackupVault(this, "Vault", {
      removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
      // Without changeableFor, the lock is in governance mode: users with the IAM permission can remove it. In
      // compliance mode nobody can.
      lockConfiguration: {
        minRetention: Duration.days(Math.min(dailyDays, monthlyDays)),
        maxRetention: Duration.days(Math.max(dailyDays, monthlyDays)),
      },
    });
    const plan = new BackupPlan(this, "Plan", {
      backupPlanName: Stack.of(this).stackName,
      backupVault: vault,
      backupPlanRules: [
        new BackupPlanRule({
          ruleName: "Daily",
          scheduleExpression: Schedule.cron({ hour: "3", minute: "0" }),
          deleteAfter: Duration.days(dailyDays),
        }),
        new BackupPlanRule({
          ruleName: "Monthly",
          scheduleExpression: Schedule.cron({ day: "1", hour: "4", minute: "0" }),
          deleteAfter: Duration.days(monthlyDays),
        }),
      ],
    });
    // AWS Backup deletes expired backups with this role (AWS Backup developer guide, "Identity and access management"),
    // so it has to outlive the stack, as the vault does, and a change of the selection.
    const role = new Role(this, "Role", { assumedBy: new ServicePrincipal("backup.amazonaws.com") });
    role.applyRemovalPolicy(RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE);
    plan.addSelection("Table", {
      role,
      // CloudFormation replaces a selection that changes: it creates the new one before it deletes the old one, and
      // CreateBackupSelection may fail with AlreadyExistsException (AWS Backup API). A name has at most 50 characters.
      backupSelectionName: table.id.slice(-50),
      resources: [BackupResource.fromArn(table.tableArn)],
      allowRestores: true,
    });
    Validations.of(role).acknowledge(
      ...["AWSBackupServiceRolePolicyForBackup", "AWSBackupServiceRolePolicyForRestores"].map((policy) => ({
        id: `AwsSolutions::AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/${policy}]`,
        reason: "AWS maintains this policy for AWS Backup, which requires it.",
      })),
    );
    observability.alarm("BackupFailed", backupFailed(vault));
  }
}

/**
 * Not on NumberOfBackupJobsFailed, which does not count jobs that expired, were aborted or never began. AWS Backup
 * reports only values above 0 (AWS Backup developer guide, "AWS Backup metrics with Amazon CloudWatch"), so a day
 * without a completed job has no data.
 */
function backupFailed({ backupVaultName }: BackupVault): AlarmDefinition {
  return {
    metric: new Metric({
      namespace: "AWS/Backup",
      metricName: "NumberOfBackupJobsCompleted",
      dimensionsMap: { BackupVaultName: backupVaultName },
      statistic: "Sum",
      period: Duration.days(1),
    }),
    below: 1,
    periods: 1,
    needsData: true,
    // A backup may begin up to eight hours after its time (AWS Backup developer guide, "Creating a backup plan"), so
    // two of them may be more than 24 hours apart.
    calendarDays: true,
    // The first day has no backup if its time was over.
    warmUp: Duration.days(2),
    description: "No backup of the table was completed in a day: the backup jobs show the reason.",
  };
}
