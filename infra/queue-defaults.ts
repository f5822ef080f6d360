import { Duration } from "aws-cdk-lib";
import { QueueEncryption } from "aws-cdk-lib/aws-sqs";

/** What every queue is made with. */
export const queueDefaults = {
  encryption: QueueEncryption.SQS_MANAGED,
  enforceSSL: true,
  // The longest that SQS keeps a message: what waits in the end waits for a person.
  retentionPeriod: Duration.days(14),
} as const;
