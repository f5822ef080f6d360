import type { SQSClient } from "@aws-sdk/client-sqs";
import * as z from "zod/mini";
import { candidateLivesOf } from "#candidates/outbox/composition";
import type { WithTable } from "#runtime/dynamodb";
import { RetrySchedule, readEnvironment, tableNameOf } from "#runtime/environment";
import type { WithSecrets } from "#runtime/secrets-manager";
import type { WithQueues } from "#runtime/sqs";
import { DeliveryLog } from "#webhooks/delivery/delivery-log";
import { DeliveryQueue } from "#webhooks/delivery/delivery-queue";
import type { DeliveryService } from "#webhooks/delivery/delivery-service";
import { GatheredQueue } from "#webhooks/delivery/gathered-queue";
import type { ListDeliveriesService } from "#webhooks/delivery/list-deliveries";
import type { PublishService } from "#webhooks/delivery/publish";
import type { ReleaseService } from "#webhooks/delivery/release";
import type { ResendService } from "#webhooks/delivery/resend";
import { Retries } from "#webhooks/delivery/retries";
import type { SampleService } from "#webhooks/delivery/sample";
import { UnreadableEvents } from "#webhooks/delivery/unreadable-events";
import { WaitingDeliveries } from "#webhooks/delivery/waiting-deliveries";
import { endpointHealthOf, signingSecretsOf, webhookEndpointsOf } from "#webhooks/endpoints/composition";
import type { Lane } from "#webhooks/endpoints/lane";
import { sharedRead } from "#webhooks/endpoints/shared-read";
import { WebhookEndpointCache } from "#webhooks/endpoints/webhook-endpoint-cache";
import type { WebhookEndpointRepository } from "#webhooks/endpoints/webhook-endpoint-repository";
import { eventFeedOf } from "#webhooks/feed/composition";
import { RecentIds } from "#webhooks/feed/recent-ids";

/** The deployment's delivery queue. */
function deliveryQueueOf({ sqsClient, variables, now }: WithQueues): DeliveryQueue {
  const environment = readEnvironment({ DELIVERY_QUEUE_URL: z.url() }, variables);
  return new DeliveryQueue(sqsClient, environment.DELIVERY_QUEUE_URL, now);
}

/** The deployment's side queue, for samples, resends, first retries and the events of endpoints that may be slow. */
function sideQueueOf({ sqsClient, variables, now }: WithQueues): DeliveryQueue {
  const environment = readEnvironment({ SIDE_QUEUE_URL: z.url() }, variables);
  return new DeliveryQueue(sqsClient, environment.SIDE_QUEUE_URL, now);
}

/** The deployment's retry queue, for all that may wait: later retries, redrives, recoveries and slow endpoints. */
export function retryQueueOf({ sqsClient, variables, now }: WithQueues): DeliveryQueue {
  const environment = readEnvironment({ RETRY_QUEUE_URL: z.url() }, variables);
  return new DeliveryQueue(sqsClient, environment.RETRY_QUEUE_URL, now);
}

/** The deployment's dead-letter queue for deliveries. */
function deadLetterQueueOf({ sqsClient, variables, now }: WithQueues): DeliveryQueue {
  const environment = readEnvironment({ DEAD_LETTER_QUEUE_URL: z.url() }, variables);
  return new DeliveryQueue(sqsClient, environment.DEAD_LETTER_QUEUE_URL, now);
}

/** The deployment's deliveries that wait in the table. */
function waitingDeliveriesOf(dependencies: WithTable): WaitingDeliveries {
  return new WaitingDeliveries(dependencies.documentClient, tableNameOf(dependencies));
}

/** The dependencies for releasing the deployment's deliveries that are due. */
export function releaseServiceOf(dependencies: WithTable & WithQueues): ReleaseService {
  return {
    waiting: waitingDeliveriesOf(dependencies),
    retryQueue: retryQueueOf(dependencies),
    deadLetters: deadLetterQueueOf(dependencies),
    now: dependencies.now,
  };
}

/** The deployment's delivery log. */
export function deliveryLogOf(dependencies: WithTable): DeliveryLog {
  return new DeliveryLog(dependencies.documentClient, tableNameOf(dependencies), dependencies.now);
}

/** The dependencies for publishing the deployment's events. */
export function publishServiceOf(dependencies: WithTable & WithQueues): PublishService {
  const environment = readEnvironment({ UNREADABLE_EVENTS_QUEUE_URL: z.url() }, dependencies.variables);
  return {
    feed: eventFeedOf(dependencies),
    endpoints: new WebhookEndpointCache(webhookEndpointsOf(dependencies), dependencies.now),
    queues: {
      delivery: deliveryQueueOf(dependencies),
      side: sideQueueOf(dependencies),
      retry: retryQueueOf(dependencies),
    },
    unreadable: new UnreadableEvents(dependencies.sqsClient, environment.UNREADABLE_EVENTS_QUEUE_URL),
    published: new RecentIds(),
    now: dependencies.now,
    wait: dependencies.wait,
  };
}

/** The runtime of deliveries: a queue client that sends each message once, and the client that posts to receivers. */
export type DeliveryDependencies = WithTable &
  WithSecrets & { readonly sendOnceClient: SQSClient; readonly client: DeliveryService["client"] };

/** The dependencies for the deployment's deliveries from one of its queues. */
export function deliveryServiceOf(lane: Lane, dependencies: DeliveryDependencies): DeliveryService {
  const { sendOnceClient, client, variables, now, random, wait } = dependencies;
  const environment = readEnvironment({ RETRY_SCHEDULE: RetrySchedule }, variables);
  const queues = { ...dependencies, sqsClient: sendOnceClient };
  const retryQueue = new GatheredQueue(retryQueueOf(queues), wait);
  return {
    lane,
    schedule: environment.RETRY_SCHEDULE,
    lives: candidateLivesOf(dependencies),
    endpoints: deliveryEndpointsOf(lane, dependencies),
    health: endpointHealthOf(dependencies, environment.RETRY_SCHEDULE),
    signingSecrets: signingSecretsOf(dependencies),
    retries: new Retries(
      // Nothing moves back from the retry queue to the side queue.
      {
        side: lane === "retry" ? retryQueue : new GatheredQueue(sideQueueOf(queues), wait),
        retry: retryQueue,
      },
      waitingDeliveriesOf(dependencies),
      now,
    ),
    deadLetters: deadLetterQueueOf(queues),
    log: deliveryLogOf(dependencies),
    client,
    now,
    random,
  };
}

/**
 * The endpoints of deliveries. Only those of the delivery queue are cached: the health of others changes with most
 * attempts, often without a new version.
 */
function deliveryEndpointsOf(lane: Lane, dependencies: WithTable): DeliveryService["endpoints"] {
  const endpoints = webhookEndpointsOf(dependencies);
  const reads = lane === "delivery" ? cacheOf(endpoints, dependencies) : endpoints;
  return { find: sharedRead((orgId, endpointId) => reads.find(orgId, endpointId)) };
}

function cacheOf(endpoints: WebhookEndpointRepository, { now }: WithTable): WebhookEndpointCache {
  const reads = {
    find: (orgId: string, endpointId: string) => endpoints.find(orgId, endpointId),
    list: sharedRead((orgId) => endpoints.list(orgId)),
    versions: sharedRead((orgId) => endpoints.versions(orgId)),
  };
  return new WebhookEndpointCache(reads, now);
}

/** The dependencies for sending samples to the deployment's endpoints. */
export function sampleServiceOf(dependencies: WithTable & WithQueues): SampleService {
  return {
    endpoints: webhookEndpointsOf(dependencies),
    queue: sideQueueOf(dependencies),
    now: dependencies.now,
    randomBytes: dependencies.randomBytes,
  };
}

/** The dependencies for listing the deliveries to the deployment's endpoints. */
export function listDeliveriesServiceOf(dependencies: WithTable): ListDeliveriesService {
  return { endpoints: webhookEndpointsOf(dependencies), log: deliveryLogOf(dependencies) };
}

/** The dependencies for resending the deployment's deliveries. */
export function resendServiceOf(dependencies: WithTable & WithQueues): ResendService {
  return {
    lives: candidateLivesOf(dependencies),
    endpoints: webhookEndpointsOf(dependencies),
    log: deliveryLogOf(dependencies),
    queue: sideQueueOf(dependencies),
    now: dependencies.now,
  };
}
