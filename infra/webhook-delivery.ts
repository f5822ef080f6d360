import { Duration, RemovalPolicy, Stack, Validations } from "aws-cdk-lib";
import { Metric, type MetricOptions } from "aws-cdk-lib/aws-cloudwatch";
import { RecursiveLoop } from "aws-cdk-lib/aws-lambda";
import { Secret } from "aws-cdk-lib/aws-secretsmanager";
import { Queue } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { LIFE_ATTRIBUTES } from "#candidates/candidate-lives";
import type { DeliveryMetric } from "#webhooks/delivery-metrics";
import { RECEIVES } from "#webhooks/retry-schedule";
import type { CandidateTable } from "./candidate-table.ts";
import { deadLetterQueue, queueDefaults } from "./dead-letter-queue.ts";
import type { EnvironmentSettings } from "./environments.ts";
import { SERVICE_NAME, ServiceFunction } from "./service-function.ts";

interface WebhookDeliveryProps {
  readonly settings: EnvironmentSettings;
  readonly table: CandidateTable;
}

/** From the table's stream to the subscribers: publish-events, the delivery queue, deliver-webhook. */
export class WebhookDelivery extends Construct {
  readonly deliveryQueue: Queue;
  /** Deliveries to endpoints that fail, with a consumer of their own: who hangs holds up nobody else. */
  readonly retryQueue: Queue;
  /** Deliveries that no try brought home. */
  readonly deadLetters: Queue;
  /** Events of the stream that could not be published. */
  readonly unreadableEvents: Queue;
  /** The keys that signing secrets are sealed with; see `lib/webhooks/secret-box.ts`. */
  readonly keyring: Secret;
  readonly allowedNetworks: string;
  readonly publishEvents: ServiceFunction;
  readonly deliverWebhook: ServiceFunction;

  constructor(scope: Construct, id: string, { settings, table }: WebhookDeliveryProps) {
    super(scope, id);
    this.allowedNetworks = settings.webhooks.allowedNetworks.join(",");
    this.keyring = this.#keyring(settings);

    this.deadLetters = deadLetterQueue(this, "DeadLetters");
    this.unreadableEvents = deadLetterQueue(this, "UnreadableEvents");
    // Longer than the slowest delivery of all (test/webhooks/deliver.test.ts adds it up).
    const deliveryTimeout = Duration.seconds(70);
    const consumed = {
      ...queueDefaults,
      // AWS advises six times the consumer's timeout, so that a batch is not delivered twice at once.
      visibilityTimeout: Duration.seconds(6 * deliveryTimeout.toSeconds()),
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: 5 * RECEIVES },
    };
    this.deliveryQueue = new Queue(this, "DeliveryQueue", consumed);
    this.retryQueue = new Queue(this, "RetryQueue", consumed);

    this.publishEvents = new ServiceFunction(this, "PublishEvents", {
      settings,
      name: "publish-events",
      description: "Addresses each event to the endpoints subscribed to it",
      memorySize: 512,
      timeout: Duration.seconds(30),
      environment: {
        TABLE_NAME: table.tableName,
        DELIVERY_QUEUE_URL: this.deliveryQueue.queueUrl,
        UNREADABLE_EVENTS_QUEUE_URL: this.unreadableEvents.queueUrl,
      },
    });
    table.allow(this.publishEvents, "ORGANISATION", "Query");
    this.publishEvents.allowSendingTo(this.deliveryQueue);
    this.publishEvents.allowSendingTo(this.unreadableEvents);
    table.sendEventsTo(this.publishEvents, {
      batchSize: 100,
      parallelizationFactor: settings.webhooks.publishConcurrencyPerShard,
      reportBatchItemFailures: true,
      bisectBatchOnError: true,
      // An event that cannot be read is parked by the function; what is retried is an outage.
      retryAttempts: 1_000,
      maxRecordAge: Duration.hours(12),
      // SqsDlq would grant more than Lambda uses to send there.
      onFailure: { bind: () => ({ destination: this.unreadableEvents.queueArn }) },
    });

    this.deliverWebhook = new ServiceFunction(this, "DeliverWebhook", {
      settings,
      name: "deliver-webhook",
      description: "Signs and posts events to webhook endpoints",
      memorySize: 1024,
      timeout: deliveryTimeout,
      // It reads the retry queue and sends to it: by default Lambda stops such a chain after some 16 invocations
      // (Lambda developer guide, "Recursive loop detection"). The number of attempts ends it.
      recursiveLoop: RecursiveLoop.ALLOW,
      environment: {
        TABLE_NAME: table.tableName,
        RETRY_QUEUE_URL: this.retryQueue.queueUrl,
        RETRY_QUEUE_ARN: this.retryQueue.queueArn,
        DEAD_LETTER_QUEUE_URL: this.deadLetters.queueUrl,
        KEYRING_SECRET_ID: this.keyring.secretArn,
        ALLOWED_WEBHOOK_NETWORKS: this.allowedNetworks,
        POWERTOOLS_METRICS_NAMESPACE: Stack.of(this).stackName,
      },
    });
    table.allow(this.deliverWebhook, "ORGANISATION", "GetItem", "UpdateItem");
    table.allow(this.deliverWebhook, "ENDPOINT", "GetItem", "UpdateItem");
    table.allowReadingOfCandidates(this.deliverWebhook, LIFE_ATTRIBUTES);
    this.deliverWebhook.allowSendingTo(this.retryQueue);
    this.deliverWebhook.allowSendingTo(this.deadLetters);
    this.deliverWebhook.allowReadingSecret(this.keyring);
    for (const [queue, maxConcurrency] of [
      [this.deliveryQueue, settings.webhooks.deliveryConcurrency],
      [this.retryQueue, settings.webhooks.retryConcurrency],
    ] as const) {
      this.deliverWebhook.consume(queue, { batchSize: 10, maxConcurrency, reportBatchItemFailures: true });
    }
  }

  /** What deliver-webhook measures itself; in periods of five minutes unless told otherwise. */
  metric(metricName: DeliveryMetric, options: MetricOptions): Metric {
    return new Metric({
      namespace: Stack.of(this).stackName,
      metricName,
      dimensionsMap: { service: SERVICE_NAME },
      ...options,
    });
  }

  #keyring(settings: EnvironmentSettings): Secret {
    const keyring = new Secret(this, "Keyring", {
      description: "Keys that webhook signing secrets are sealed with, and which of them seals new ones",
      generateSecretString: {
        secretStringTemplate: JSON.stringify({ current: "1" }),
        generateStringKey: "1",
        passwordLength: 64,
        excludePunctuation: true,
      },
      removalPolicy: settings.retainData ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY,
    });
    Validations.of(keyring).acknowledge({
      id: "AwsSolutions::AwsSolutions-SMG4",
      reason:
        "A key is rotated by adding one to the keyring; a schedule that replaced it would lose secrets.",
    });
    return keyring;
  }
}
