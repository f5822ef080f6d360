import { Duration, Validations } from "aws-cdk-lib";
import type { IMetric } from "aws-cdk-lib/aws-cloudwatch";
import { Rule, Schedule } from "aws-cdk-lib/aws-events";
import { LambdaFunction } from "aws-cdk-lib/aws-events-targets";
import { RecursiveLoop } from "aws-cdk-lib/aws-lambda";
import { Construct } from "constructs";
import type { CandidateTable } from "./candidate-table.ts";
import { BATCH_SIZE, type BatchConcurrency, MEMORY, scalingOf } from "./delivery-limits.ts";
import { deliveryQueues } from "./delivery-queues.ts";
import type { EnvironmentSettings } from "./environment-settings.ts";
import { type Grant, variables } from "./grant.ts";
import { Keyring } from "./keyring.ts";
import { recording } from "./recorded-metrics.ts";
import { ServiceFunction } from "./service-function.ts";
import { deadLetterQueue, ServiceQueue } from "./service-queue.ts";

/**
 * For a function that sends retries to the queue that it consumes. By default Lambda stops a chain after about 16
 * invocations (Lambda developer guide, "Recursive loop detection"). AWS does not document which chain a batch continues
 * if its messages belong to several.
 */
const SENDS_TO_ITSELF = RecursiveLoop.ALLOW;

interface WebhookDeliveryProps {
  readonly settings: EnvironmentSettings;
  readonly table: CandidateTable;
}

interface DelivererProps {
  readonly description: string;
  readonly queue: ServiceQueue;
  readonly grants: readonly Grant[];
  readonly memorySize: number;
  readonly concurrency: BatchConcurrency;
  readonly recursiveLoop?: RecursiveLoop;
}

/** Longer than the slowest possible delivery, which test/webhooks/delivery/deliver.test.ts adds up. */
const DELIVERY_TIMEOUT = Duration.seconds(90);

/** Longer than the slowest batch, which test/webhooks/delivery/publish.test.ts adds up. */
const PUBLISH_TIMEOUT = Duration.minutes(1);

/** Longer than one run of a recovery takes (WORKS_FOR_MS in lib/webhooks/recoveries/recover.ts). */
const RECOVERY_TIMEOUT = Duration.minutes(1);

/**
 * The number of recoveries that run at once. A run takes seconds every six minutes, so many more can be in progress.
 * Each recovery sends at most fifty deliveries a second.
 */
const RECOVERIES_AT_ONCE = 5;

/**
 * The path from the table's stream to the subscribers: publish-events, the delivery queue, deliver-webhook. Samples,
 * resends, retries after seconds and the events of endpoints that are new, failing or may be slow take the side queue
 * and deliver-aside: they delay no other event, and wait for no receiver that is known to hang. The retry queue and
 * retry-webhook process the deliveries to slow endpoints, which would delay others, and all later retries. Retries that
 * are more than 15 minutes away wait in the table, and release-deliveries moves them to the retry queue when they are
 * due. recover-events sends what an endpoint missed to the retry queue.
 */
export class WebhookDelivery extends Construct {
  /** The first attempt of each event at an endpoint that responds fast. */
  readonly deliveryQueue: ServiceQueue;
  /** Samples, resends, retries after seconds, and the events of endpoints that are failing or may be slow. */
  readonly sideQueue: ServiceQueue;
  /** Later retries, deliveries to slow endpoints, redrives and recoveries. */
  readonly retryQueue: ServiceQueue;
  /** Deliveries that exhausted their retries. */
  readonly deadLetters: ServiceQueue;
  /** Events of the stream that could not be published. */
  readonly unreadableEvents: ServiceQueue;
  /** The recoveries that are running. */
  readonly recoveryQueue: ServiceQueue;
  readonly keyring: Keyring;
  /** The networks that deliveries may reach although they are not public. */
  readonly allowedNetworks: Grant;
  /** How long the event feed keeps events. */
  readonly eventRetention: Grant;
  readonly publishEvents: ServiceFunction;
  /** How often Lambda polls the stream for events. */
  readonly streamPolls: IMetric;
  readonly deliverWebhook: ServiceFunction;
  readonly deliverAside: ServiceFunction;
  readonly retryWebhook: ServiceFunction;
  readonly releaseDeliveries: ServiceFunction;
  readonly recoverEvents: ServiceFunction;

  constructor(scope: Construct, id: string, props: WebhookDeliveryProps) {
    super(scope, id);
    const { settings, table } = props;
    this.allowedNetworks = variables({
      ALLOWED_WEBHOOK_NETWORKS: settings.webhooks.allowedNetworks.join(","),
    });
    this.eventRetention = variables({
      EVENT_RETENTION_DAYS: String(settings.webhooks.eventRetentionDays),
    });
    this.keyring = new Keyring(this, "Keyring", { settings });
    this.deadLetters = deadLetterQueue(this, "DeadLetters", "DEAD_LETTER_QUEUE_URL");
    this.unreadableEvents = deadLetterQueue(this, "UnreadableEvents", "UNREADABLE_EVENTS_QUEUE_URL");
    const queues = deliveryQueues(this, { timeout: DELIVERY_TIMEOUT, deadLetters: this.deadLetters });
    ({ deliveryQueue: this.deliveryQueue, sideQueue: this.sideQueue, retryQueue: this.retryQueue } = queues);
    this.publishEvents = this.#publisher(props);
    this.streamPolls = table.sendEventsTo(this.publishEvents, this.unreadableEvents, {
      batchSize: 100,
      parallelizationFactor: settings.webhooks.publishConcurrencyPerShard,
    });
    this.deliverWebhook = this.#deliverer("DeliverWebhook", props, {
      description: "Signs and posts events to webhook endpoints that respond fast",
      queue: this.deliveryQueue,
      grants: [
        table.items("ENDPOINTS", "GetItem", "Query", "UpdateItem"),
        table.items("ENDPOINT", "UpdateItem"),
        this.sideQueue.sending(),
      ],
      memorySize: MEMORY.delivery,
      concurrency: settings.webhooks.deliveryConcurrency,
    });
    const ofRetries = [
      table.items("ENDPOINTS", "GetItem", "UpdateItem"),
      // Duplicates are recognised by the records.
      table.items("ENDPOINT", "GetItem", "UpdateItem"),
    ];
    this.deliverAside = this.#deliverer("DeliverAside", props, {
      description:
        "Delivers samples, resends, first retries and events to webhook endpoints that may be slow",
      queue: this.sideQueue,
      grants: [...ofRetries, this.sideQueue.sending()],
      memorySize: MEMORY.side,
      concurrency: settings.webhooks.sideConcurrency,
      recursiveLoop: SENDS_TO_ITSELF,
    });
    this.retryWebhook = this.#deliverer("RetryWebhook", props, {
      description: "Retries deliveries, and delivers to slow webhook endpoints",
      queue: this.retryQueue,
      grants: ofRetries,
      memorySize: MEMORY.retry,
      concurrency: settings.webhooks.retryConcurrency,
      recursiveLoop: SENDS_TO_ITSELF,
    });
    this.releaseDeliveries = this.#releaser(props);
    this.recoveryQueue = this.#recoveries();
    this.recoverEvents = this.#recoverer(props);
  }

  /** The function that publishes events. It parks those that it cannot read, so only outages cause retries. */
  #publisher({ settings, table }: WebhookDeliveryProps): ServiceFunction {
    return new ServiceFunction(this, "PublishEvents", {
      settings,
      description: "Appends each event to the event feed, and queues it for the endpoints subscribed to it",
      memorySize: 512,
      timeout: PUBLISH_TIMEOUT,
      runsForEachEvent: true,
      grants: [
        table.items("ENDPOINTS", "GetItem", "Query"),
        table.items("FEED", "PutItem"),
        this.eventRetention,
        this.deliveryQueue.sending(),
        this.sideQueue.sending(),
        this.retryQueue.sending(),
        this.unreadableEvents.sending(),
      ],
    });
  }

  /** The function that moves deliveries from the table to the retry queue, once a minute. */
  #releaser({ settings, table }: WebhookDeliveryProps): ServiceFunction {
    const releaseDeliveries = new ServiceFunction(this, "ReleaseDeliveries", {
      settings,
      description: "Moves deliveries whose next attempt is due from the table to the retry queue",
      memorySize: 1024,
      // Less than a minute: if two runs overlap, which is then rare, they release the same deliveries and cause
      // duplicates.
      timeout: Duration.seconds(55),
      grants: [
        table.items("WAITING", "Query", "BatchWriteItem"),
        this.retryQueue.sending(),
        this.deadLetters.sending(),
        recording(this),
      ],
    });
    // The next run releases what a failed or late one left.
    const notRepeated = { retryAttempts: 0, maxEventAge: Duration.minutes(1) };
    releaseDeliveries.configureAsyncInvoke(notRepeated);
    new Rule(this, "EveryMinute", {
      schedule: Schedule.rate(Duration.minutes(1)),
      // Not its alias: in 15 minutes a canary would get one or two calls, or none.
      targets: [new LambdaFunction(releaseDeliveries, notRepeated)],
    });
    return releaseDeliveries;
  }

  #recoveries(): ServiceQueue {
    const queue = new ServiceQueue(this, "RecoveryQueue", {
      variable: "RECOVERY_QUEUE_URL",
      visibilityTimeout: Duration.seconds(6 * RECOVERY_TIMEOUT.toSeconds()),
    });
    Validations.of(queue).acknowledge({
      id: "AwsSolutions::AwsSolutions-SQS3",
      reason:
        "A long recovery is received many times. The consumer ends a recovery that makes no progress; it can be started again.",
    });
    return queue;
  }

  /** The function that carries recoveries out. It sends to the retry queue only, so there is no loop. */
  #recoverer({ settings, table }: WebhookDeliveryProps): ServiceFunction {
    const recoverEvents = new ServiceFunction(this, "RecoverEvents", {
      settings,
      description: "Queues the events that a webhook endpoint missed",
      memorySize: 1024,
      timeout: RECOVERY_TIMEOUT,
      isRarelyCalled: true,
      grants: [
        table.items("FEED", "Query"),
        this.eventRetention,
        // The last step of a recovery changes both in one transaction.
        table.itemsOfKinds(["ENDPOINT", "ENDPOINTS"], "GetItem", "UpdateItem"),
        table.livesOfCandidates(),
        this.retryQueue.sending(),
      ],
    });
    recoverEvents.consume(this.recoveryQueue, {
      batchSize: 1,
      maxConcurrency: RECOVERIES_AT_ONCE,
      reportBatchItemFailures: true,
    });
    return recoverEvents;
  }

  /** A function that makes attempts, from a queue of its own. */
  #deliverer(
    id: string,
    { settings, table }: WebhookDeliveryProps,
    { queue, grants, concurrency, ...props }: DelivererProps,
  ): ServiceFunction {
    const deliverer = new ServiceFunction(this, id, {
      settings,
      timeout: DELIVERY_TIMEOUT,
      runsForEachEvent: true,
      grants: [
        ...grants,
        table.items("WAITING", "PutItem"),
        table.livesOfCandidates(),
        this.retryQueue.sending(),
        this.deadLetters.sending(),
        this.keyring.reading(),
        this.allowedNetworks,
        recording(this),
        variables({
          RETRY_SCHEDULE: settings.webhooks.retrySchedule,
          // Node resolves names in this pool, of four threads by default and two lookups at once: a receiver's name
          // server that does not respond would delay all others (Node.js, "dns.lookup"). libuv uses half of the pool
          // for lookups, which go on after their attempts have ended: 64 are those of six batches.
          UV_THREADPOOL_SIZE: "128",
        }),
      ],
      ...props,
    });
    deliverer.consume(queue, {
      batchSize: BATCH_SIZE,
      ...scalingOf(concurrency),
      reportBatchItemFailures: true,
    });
    return deliverer;
  }
}
