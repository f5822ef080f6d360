import { Duration } from "aws-cdk-lib";
import type { IMetric } from "aws-cdk-lib/aws-cloudwatch";
import { Construct } from "constructs";
import type { CandidateTable } from "./candidate-table.ts";
import type { EnvironmentSettings } from "./environments.ts";
import { ServiceFunction } from "./service-function.ts";
import { deadLetterQueue, type ServiceQueue } from "./service-queue.ts";

interface PartSweepProps {
  readonly settings: EnvironmentSettings;
  readonly table: CandidateTable;
}

/** Removes what unfinished writes of large candidates have left, when the notices of these writes expire. */
export class PartSweep extends Construct {
  readonly sweepCandidateParts: ServiceFunction;
  /** Batches of notices whose sweep failed for half a day. */
  readonly unsweptParts: ServiceQueue;

  constructor(scope: Construct, id: string, { settings, table }: PartSweepProps) {
    super(scope, id);
    this.unsweptParts = deadLetterQueue(this, "UnsweptParts", "UNSWEPT_PARTS_QUEUE_URL");
    this.sweepCandidateParts = new ServiceFunction(this, "SweepCandidateParts", {
      settings,
      description: "Removes parts that no candidate names",
      memorySize: 512,
      timeout: Duration.minutes(1),
      grants: [table.items("CANDIDATE", "Query", "GetItem", "DeleteItem")],
    });
    table.sendExpiredNoticesTo(this.sweepCandidateParts, this.unsweptParts, {
      batchSize: 10,
      reportBatchItemFailures: true,
      bisectBatchOnError: true,
      // What fails holds up the sweeps behind it. The stream keeps a record 24 hours: half of that to retry, and
      // half for a redrive, which reads it there again.
      retryAttempts: 1_000,
      maxRecordAge: Duration.hours(12),
    });
  }

  /** How long the oldest expired notice has waited, in ms. */
  age(period: Duration): IMetric {
    return this.sweepCandidateParts.metric("IteratorAge", { statistic: "Maximum", period });
  }
}
