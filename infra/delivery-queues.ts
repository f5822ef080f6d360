import { Duration } from "aws-cdk-lib";
import type { Construct } from "constructs";
import { RECEIVES } from "#webhooks/delivery/retry-schedule";
import { ServiceQueue } from "./service-queue.ts";

/**
 * The receives after which SQS itself moves a message from the delivery queue or the side queue to the retry queue. AWS
 * recommends at least 5 for a queue that Lambda consumes (AWS Lambda developer guide, "Creating and configuring an
 * Amazon SQS event source mapping").
 */
const MOVES_AFTER = 5;

interface DeliveryQueuesProps {
  /** The timeout of the functions that consume them. */
  readonly timeout: Duration;
  readonly deadLetters: ServiceQueue;
}

/** The queues of deliveries. */
export function deliveryQueues(scope: Construct, { timeout, deadLetters }: DeliveryQueuesProps) {
  // AWS recommends six times the consumer's timeout, so that a batch is not delivered twice at once.
  const visibilityTimeout = Duration.seconds(6 * timeout.toSeconds());
  const retryQueue = new ServiceQueue(scope, "RetryQueue", {
    visibilityTimeout,
    deadLetterQueue: { queue: deadLetters, maxReceiveCount: 5 * RECEIVES },
    variable: "RETRY_QUEUE_URL",
  });
  const firstAttempts = {
    visibilityTimeout,
    // deliver-webhook and deliver-aside move what they receive again to the retry queue. If they cannot, SQS does. A
    // message of a first attempt contains its `externalId`, so SQS must not dead-letter it.
    deadLetterQueue: { queue: retryQueue, maxReceiveCount: MOVES_AFTER },
  };
  return {
    deliveryQueue: new ServiceQueue(scope, "DeliveryQueue", {
      ...firstAttempts,
      variable: "DELIVERY_QUEUE_URL",
    }),
    sideQueue: new ServiceQueue(scope, "SideQueue", { ...firstAttempts, variable: "SIDE_QUEUE_URL" }),
    retryQueue,
  };
}
