import { Duration, Validations } from "aws-cdk-lib";
import { Queue, QueueEncryption } from "aws-cdk-lib/aws-sqs";
import type { Construct } from "constructs";

export const queueDefaults = {
  encryption: QueueEncryption.SQS_MANAGED,
  enforceSSL: true,
  // The longest that SQS keeps a message: what waits here waits for a person.
  retentionPeriod: Duration.days(14),
} as const;

/** A queue of what waits for a person. */
export function deadLetterQueue(scope: Construct, id: string): Queue {
  const queue = new Queue(scope, id, queueDefaults);
  Validations.of(queue).acknowledge({
    id: "AwsSolutions::AwsSolutions-SQS3",
    reason: "This queue is a dead-letter queue itself.",
  });
  return queue;
}
