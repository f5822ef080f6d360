import { Duration, Stack } from "aws-cdk-lib";
import { Metric, type MetricOptions } from "aws-cdk-lib/aws-cloudwatch";
import { RecursiveLoop } from "aws-cdk-lib/aws-lambda";
import { Construct } from "constructs";
import type { DeliveryMetric } from "#webhooks/delivery/delivery-metrics";
import { RECEIVES } from "#webhooks/delivery/retry-schedule";
import type { CandidateTable } from "./candidate-table.ts";
import type { EnvironmentSettings } from "./environments.ts";
import { type Grant, setting } from "./grant.ts";
import { Keyring } from "./keyring.ts";
import { SERVICE_NAME, ServiceFunction } from "./service-function.ts";
import { deadLetterQueue, ServiceQueue } from "./service-queue.ts";

interface WebhookDeliveryProps {
  readonly settings: EnvironmentSettings;
  readonly table: CandidateTable;
}

/** Longer than the slowest possible delivery, which test/webhooks/delivery/deliver.test.ts adds up. */
const DELIVERY_TIMEOUT = Duration.seconds(70);

/** The path from the table's stream to the subscribers: publish-events, the delivery queue, deliver-webhook. */
export class WebhookDelivery extends Construct {
  readonly deliveryQueue: ServiceQueue;
  /** Retries for failing endpoints, with their own consumer: a hanging receiver delays no other endpoint. */
  readonly retryQueue: ServiceQueue;
  /** Deliveries that exhausted their retries. */
  readonly deadLetters: ServiceQueue;
  /** Events of the stream that could not be published. */
  readonly unreadableEvents: ServiceQueue;
  readonly keyring: Keyring;
  /** The networks that deliveries may reach although they are not public. */
  readonly allowedNetworks: Grant;
  readonly publishEvents: ServiceFunction;
  readonly deliverWebhook: ServiceFunction;

  constructor(scope: Construct, id: string, props: WebhookDeliveryProps) {
    super(scope, id);
    const { settings } = props;
    this.allowedNetworks = setting({
      ALLOWED_WEBHOOK_NETWORKS: settings.webhooks.allowedNetworks.join(","),
    });
    this.keyring = new Keyring(this, "Keyring", { settings });

    this.deadLetters = deadLetterQueue(this, "DeadLetters", "DEAD_LETTER_QUEUE_URL");
    this.unreadableEvents = deadLetterQueue(this, "UnreadableEvents", "UNREADABLE_EVENTS_QUEUE_URL");
    const consumed = {
      // AWS recommends six times the consumer's timeout, so that a batch is not delivered twice at once.
      visibilityTimeout: Duration.seconds(6 * DELIVERY_TIMEOUT.toSeconds()),
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: 5 * RECEIVES },
    };
    this.deliveryQueue = new ServiceQueue(this, "DeliveryQueue", {
      ...consumed,
      variable: "DELIVERY_QUEUE_URL",
    });
    this.retryQueue = new ServiceQueue(this, "RetryQueue", { ...consumed, variable: "RETRY_QUEUE_URL" });
    this.publishEvents = this.#publisher(props);
    this.deliverWebhook = this.#deliverer(props);
  }

  #publisher({ settings, table }: WebhookDeliveryProps): ServiceFunction {
    const publishEvents = new ServiceFunction(this, "PublishEvents", {
      settings,
      description: "Queues each event for the endpoints subscribed to it",
      memorySize: 512,
      timeout: Duration.seconds(30),
      grants: [
        table.items("ORGANISATION", "Query"),
        this.deliveryQueue.sending(),
        this.unreadableEvents.sending(),
      ],
    });
    table.sendEventsTo(publishEvents, this.unreadableEvents, {
      batchSize: 100,
      parallelizationFactor: settings.webhooks.publishConcurrencyPerShard,
      reportBatchItemFailures: true,
      bisectBatchOnError: true,
      // The function parks unreadable events, so only outages are retried.
      retryAttempts: 1_000,
      maxRecordAge: Duration.hours(12),
    });
    return publishEvents;
  }

  #deliverer({ settings, table }: WebhookDeliveryProps): ServiceFunction {
    const deliverWebhook = new ServiceFunction(this, "DeliverWebhook", {
      settings,
      description: "Signs and posts events to webhook endpoints",
      memorySize: 1024,
      timeout: DELIVERY_TIMEOUT,
      // It reads the retry queue and sends to it. By default Lambda stops such a chain after about 16 invocations
      // (Lambda developer guide, "Recursive loop detection"). Here the number of attempts per delivery limits it.
      recursiveLoop: RecursiveLoop.ALLOW,
      grants: [
        table.items("ORGANISATION", "GetItem", "UpdateItem"),
        table.items("ENDPOINT", "GetItem", "UpdateItem"),
        table.livesOfCandidates(),
        this.retryQueue.sending(),
        this.deadLetters.sending(),
        this.keyring.reading(),
        this.allowedNetworks,
        setting({
          RETRY_QUEUE_ARN: this.retryQueue.queueArn,
          POWERTOOLS_METRICS_NAMESPACE: Stack.of(this).stackName,
        }),
      ],
    });
    for (const [queue, maxConcurrency] of [
      [this.deliveryQueue, settings.webhooks.deliveryConcurrency],
      [this.retryQueue, settings.webhooks.retryConcurrency],
    ] as const) {
      deliverWebhook.consume(queue, { batchSize: 10, maxConcurrency, reportBatchItemFailures: true });
    }
    return deliverWebhook;
  }

  /** A metric that deliver-webhook records, in five-minute periods unless the options differ. */
  metric(metricName: DeliveryMetric, options: MetricOptions): Metric {
    return new Metric({
      namespace: Stack.of(this).stackName,
      metricName,
      dimensionsMap: { service: SERVICE_NAME },
      ...options,
    });
  }
}
