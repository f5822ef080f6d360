import { Duration } from "aws-cdk-lib";
import type { IMetric } from "aws-cdk-lib/aws-cloudwatch";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import type { CandidateTable } from "./candidate-table.ts";
import { deadLetterQueue } from "./dead-letter-queue.ts";
import type { EnvironmentSettings } from "./environments.ts";
import { ServiceFunction } from "./service-function.ts";

interface PartSweepProps {
  readonly settings: EnvironmentSettings;
  readonly table: CandidateTable;
}

/** Removes what unfinished writes of large candidates have left, when the notices of these writes expire. */
export class PartSweep extends Construct {
  readonly sweepCandidateParts: ServiceFunction;
  /** Batches of notices whose sweep failed for half a day. */
  readonly unsweptParts: Queue;

  constructor(scope: Construct, id: string, { settings, table }: PartSweepProps) {
    super(scope, id);
    this.unsweptParts = deadLetterQueue(this, "UnsweptParts");
    this.sweepCandidateParts = new ServiceFunction(this, "SweepCandidateParts", {
      settings,
      name: "sweep-candidate-parts",
      description: "Removes parts that no candidate names",
      memorySize: 512,
      timeout: Duration.minutes(1),
      environment: { TABLE_NAME: table.tableName },
    });
    table.allow(this.sweepCandidateParts, "CANDIDATE", "Query", "GetItem", "DeleteItem");
    this.sweepCandidateParts.allowSendingTo(this.unsweptParts);
    table.sendExpiredNoticesTo(this.sweepCandidateParts, {
      batchSize: 10,
      reportBatchItemFailures: true,
      bisectBatchOnError: true,
      // What fails holds up the sweeps behind it. The stream keeps a record 24 hours: half of that to retry, and
      // half for a redrive, which reads it there again.
      retryAttempts: 1_000,
      maxRecordAge: Duration.hours(12),
      // SqsDlq would grant more than Lambda uses to send there.
      onFailure: { bind: () => ({ destination: this.unsweptParts.queueArn }) },
    });
  }

  /** How long the oldest expired notice has waited, in ms. */
  age(period: Duration): IMetric {
    return this.sweepCandidateParts.metric("IteratorAge", { statistic: "Maximum", period });
  }
}
