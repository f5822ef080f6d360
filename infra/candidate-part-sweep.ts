import { Duration } from "aws-cdk-lib";
import type { IMetric } from "aws-cdk-lib/aws-cloudwatch";
import { Construct } from "constructs";
import type { CandidateTable } from "./candidate-table.ts";
import type { EnvironmentSettings } from "./environment-settings.ts";
import { ServiceFunction } from "./service-function.ts";
import { deadLetterQueue, type ServiceQueue } from "./service-queue.ts";

interface CandidatePartSweepProps {
  readonly settings: EnvironmentSettings;
  readonly table: CandidateTable;
}

/** Removes the parts left by unfinished writes of large candidates, when the notices of these writes expire. */
export class CandidatePartSweep extends Construct {
  readonly sweepCandidateParts: ServiceFunction;
  /** Batches of notices whose sweep failed for 12 hours. */
  readonly unsweptParts: ServiceQueue;
  /** How often Lambda polls the stream for expired notices. */
  readonly streamPolls: IMetric;

  constructor(scope: Construct, id: string, { settings, table }: CandidatePartSweepProps) {
    super(scope, id);
    this.unsweptParts = deadLetterQueue(this, "UnsweptParts", "UNSWEPT_PARTS_QUEUE_URL");
    this.sweepCandidateParts = new ServiceFunction(this, "SweepCandidateParts", {
      settings,
      description: "Removes parts that no candidate references",
      memorySize: 512,
      timeout: Duration.minutes(1),
      grants: [table.items("CANDIDATE", "Query", "GetItem", "DeleteItem")],
    });
    this.streamPolls = table.sendExpiredNoticesTo(this.sweepCandidateParts, this.unsweptParts, {
      batchSize: 10,
    });
  }

  /** The age of the oldest expired notice that waits for its sweep, in ms. */
  age(period: Duration): IMetric {
    return this.sweepCandidateParts.metric("IteratorAge", { statistic: "Maximum", period });
  }
}
