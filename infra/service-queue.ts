import { Duration, Validations } from "aws-cdk-lib";
import { Queue, QueueEncryption, type QueueProps } from "aws-cdk-lib/aws-sqs";
import type { Construct } from "constructs";
import { allow, type Grant } from "./grant.ts";

interface ServiceQueueProps extends QueueProps {
  /** The environment variable that contains the queue's URL. */
  readonly variable: string;
}

/** A queue, and the permissions on it that functions may have. */
export class ServiceQueue extends Queue {
  readonly #variable: string;

  constructor(scope: Construct, id: string, { variable, ...props }: ServiceQueueProps) {
    super(scope, id, {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      // The longest retention of SQS: dead letters require intervention.
      retentionPeriod: Duration.days(14),
      ...props,
    });
    this.#variable = variable;
  }

  sending(): Grant {
    return this.#grant("sqs:SendMessage");
  }

  peeking(): Grant {
    return this.#grant("sqs:ReceiveMessage", "sqs:ChangeMessageVisibility");
  }

  emptying(): Grant {
    return this.#grant("sqs:ReceiveMessage", "sqs:ChangeMessageVisibility", "sqs:DeleteMessage");
  }

  #grant(...actions: readonly string[]): Grant {
    return {
      statements: [allow(this.queueArn, ...actions)],
      environment: { [this.#variable]: this.queueUrl },
    };
  }
}

/** A queue of messages that require intervention. */
export function deadLetterQueue(scope: Construct, id: string, variable: string): ServiceQueue {
  const queue = new ServiceQueue(scope, id, { variable });
  Validations.of(queue).acknowledge({
    id: "AwsSolutions::AwsSolutions-SQS3",
    reason: "This queue is a dead-letter queue itself.",
  });
  return queue;
}
