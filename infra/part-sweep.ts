import { Duration, Validations } from "aws-cdk-lib";
import { SqsEventSource } from "aws-cdk-lib/aws-lambda-event-sources";
import { Queue } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import type { CandidateTable } from "./candidate-table.ts";
import type { EnvironmentSettings } from "./environments.ts";
import { queueDefaults } from "./queue-defaults.ts";
import { ServiceFunction } from "./service-function.ts";

interface PartSweepProps {
  readonly settings: EnvironmentSettings;
  readonly table: CandidateTable;
}

/** How often a sweep that fails is repeated, six minutes apart: for ten hours. */
const RECEIVES = 100;

/** Removes the parts of large candidates that are no longer named, some time after each write of one. */
export class PartSweep extends Construct {
  /** Candidates that wait for a sweep. */
  readonly queue: Queue;
  /** Those whose sweep failed again and again. */
  readonly unswept: Queue;
  readonly sweepCandidateParts: ServiceFunction;

  constructor(scope: Construct, id: string, { settings, table }: PartSweepProps) {
    super(scope, id);
    this.unswept = new Queue(this, "Unswept", queueDefaults);
    Validations.of(this.unswept).acknowledge({
      id: "AwsSolutions::AwsSolutions-SQS3",
      reason: "This queue is a dead-letter queue itself.",
    });
    const timeout = Duration.minutes(1);
    this.queue = new Queue(this, "Queue", {
      ...queueDefaults,
      // AWS advises six times the consumer's time-out, so that a batch is not handled twice at once.
      visibilityTimeout: Duration.seconds(6 * timeout.toSeconds()),
      deadLetterQueue: { queue: this.unswept, maxReceiveCount: RECEIVES },
    });

    this.sweepCandidateParts = new ServiceFunction(this, "SweepCandidateParts", {
      settings,
      name: "sweep-candidate-parts",
      description: "Removes parts that no candidate names",
      memorySize: 512,
      timeout,
      environment: { TABLE_NAME: table.tableName, SWEEP_QUEUE_URL: this.queue.queueUrl },
    });
    table.allow(this.sweepCandidateParts, "CANDIDATE", "Query", "GetItem", "DeleteItem");
    this.sweepCandidateParts.allowSendingTo(this.queue);
    this.sweepCandidateParts.live.addEventSource(
      new SqsEventSource(this.queue, { batchSize: 10, maxConcurrency: 2, reportBatchItemFailures: true }),
    );
  }
}
