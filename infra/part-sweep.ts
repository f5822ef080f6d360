import { Duration } from "aws-cdk-lib";
import type { IMetric } from "aws-cdk-lib/aws-cloudwatch";
import { Construct } from "constructs";
import type { CandidateTable } from "./candidate-table.ts";
import type { EnvironmentSettings } from "./environments.ts";
import { ServiceFunction } from "./service-function.ts";

interface PartSweepProps {
  readonly settings: EnvironmentSettings;
  readonly table: CandidateTable;
}

/** Removes what unfinished writes of large candidates have left, when the notices of these writes expire. */
export class PartSweep extends Construct {
  readonly sweepCandidateParts: ServiceFunction;

  constructor(scope: Construct, id: string, { settings, table }: PartSweepProps) {
    super(scope, id);
    this.sweepCandidateParts = new ServiceFunction(this, "SweepCandidateParts", {
      settings,
      name: "sweep-candidate-parts",
      description: "Removes parts that no candidate names",
      memorySize: 512,
      timeout: Duration.minutes(1),
      environment: { TABLE_NAME: table.tableName },
    });
    table.allow(this.sweepCandidateParts, "CANDIDATE", "Query", "GetItem", "DeleteItem");
    table.sendExpiredNoticesTo(this.sweepCandidateParts, {
      batchSize: 10,
      reportBatchItemFailures: true,
      bisectBatchOnError: true,
    });
  }

  /** How long the oldest expired notice has waited, in ms. */
  age(period: Duration): IMetric {
    return this.sweepCandidateParts.metric("IteratorAge", { statistic: "Maximum", period });
  }
}
