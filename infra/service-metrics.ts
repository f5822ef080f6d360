import { Duration } from "aws-cdk-lib";
import { type IMetric, MathExpression } from "aws-cdk-lib/aws-cloudwatch";
import { BATCH_FAULTS } from "#candidates/store/receive-batch";
import type { DeliveryMetric } from "#webhooks/delivery/delivery-metrics";
import type { CandidatePartSweep } from "./candidate-part-sweep.ts";
import type { CandidateTable } from "./candidate-table.ts";
import type { CandidatesApi } from "./candidates-api.ts";
import { failureRate, sum } from "./metric-math.ts";
import type { PlatformFunctions } from "./platform-functions.ts";
import { recorded } from "./recorded-metrics.ts";
import type { ServiceRestApi } from "./service-rest-api.ts";
import type { WebhookDelivery } from "./webhook-delivery.ts";

/** What the metrics are about. */
export interface Measured {
  readonly api: CandidatesApi;
  readonly platform: PlatformFunctions;
  readonly table: CandidateTable;
  readonly sweep: CandidatePartSweep;
  readonly webhooks: WebhookDelivery;
}

const PERIOD = Duration.minutes(5);
const MINUTE = Duration.minutes(1);
/** With fewer requests in a period, one caller without a valid key, or one slow request, would look like an outage. */
export const FEWEST_REQUESTS = 100;
/** With fewer attempts in a period, one receiver that is down would look like an outage. */
const FEWEST_ATTEMPTS = 50;

/** The metrics of one environment, used by its alarms and its dashboard. */
export type ServiceMetrics = ReturnType<typeof serviceMetrics>;

export function serviceMetrics({ api, platform, table, sweep, webhooks }: Measured) {
  return {
    ...apiMetrics(api.restApi),
    // Responses to batches are 200, so no other metric has the rows that were not received because of a fault.
    batchFaults: recorded(api, BATCH_FAULTS, { statistic: "Sum", period: PERIOD }),
    throttles: throttles(api, platform, webhooks),
    tableThrottles: table.throttles(PERIOD),
    tableErrors: table.systemErrors(PERIOD),
    sweepAge: sweep.age(PERIOD),
    sweepPolls: sweep.streamPolls,
    lostBatches: lostBatches(webhooks, sweep),
    unsweptParts: sweep.unsweptParts.metricApproximateNumberOfMessagesVisible({ period: MINUTE }),
    ...queueMetrics(webhooks),
    ...deliveryMetrics(webhooks),
  };
}

/** The requests to the stage, the documentation's included. */
function apiMetrics(restApi: ServiceRestApi) {
  const stage = restApi.deploymentStage;
  const ofStage = { dimensionsMap: restApi.stageDimensions, period: PERIOD };
  const calls = stage.metricCount(ofStage);
  const latency99 = stage.metricLatency({ ...ofStage, statistic: "p99" });
  return {
    requests: stage.metricCount(),
    clientErrors: stage.metricClientError(),
    serverErrors: failureRate({
      label: "5xx, % of requests",
      failures: { serverErrors: stage.metricServerError(ofStage) },
      calls,
      period: PERIOD,
    }),
    unauthorized: failureRate({
      label: "401, % of requests",
      failures: { unauthorized: restApi.metricUnauthorized(PERIOD) },
      calls,
      fewestCalls: FEWEST_REQUESTS,
      period: PERIOD,
    }),
    rateLimited: failureRate({
      label: "Refused by the rate limit, % of requests",
      failures: { rateLimited: restApi.metricRateLimited(PERIOD) },
      calls,
      fewestCalls: FEWEST_REQUESTS,
      period: PERIOD,
    }),
    latency50: stage.metricLatency({ statistic: "p50" }),
    latency99,
    // Of few requests, the 99th percentile is the slowest.
    latencyOfMany: new MathExpression({
      label: "p99 latency, ms",
      expression: `IF(calls >= ${FEWEST_REQUESTS}, latency99, 0)`,
      usingMetrics: { calls, latency99 },
      period: PERIOD,
    }),
  };
}

/**
 * Of the functions with reserved executions: ten, the most metrics that an alarm may have (Amazon CloudWatch quotas).
 * That of the others is announced by the alarm ClaimedConcurrency and seen as server errors, and that of recover-events
 * in the faults of recoveries.
 */
function throttles(api: CandidatesApi, platform: PlatformFunctions, webhooks: WebhookDelivery): IMetric {
  return sum({
    label: "Throttled invocations",
    of: {
      authorizer: api.authorizeRequest.metricThrottles({ period: PERIOD }),
      create: api.operations.createCandidate.metricThrottles({ period: PERIOD }),
      refuse: api.refuseMethod.metricThrottles({ period: PERIOD }),
      createBatch: api.operations.createCandidateBatch.metricThrottles({ period: PERIOD }),
      publish: webhooks.publishEvents.metricThrottles({ period: PERIOD }),
      deliver: webhooks.deliverWebhook.metricThrottles({ period: PERIOD }),
      deliverAside: webhooks.deliverAside.metricThrottles({ period: PERIOD }),
      retry: webhooks.retryWebhook.metricThrottles({ period: PERIOD }),
      release: webhooks.releaseDeliveries.metricThrottles({ period: PERIOD }),
      revoke: platform.revokeApiKey.metricThrottles({ period: PERIOD }),
    },
    period: PERIOD,
  });
}

/**
 * The batches of the stream that failed for 12 hours and then reached no queue: their positions are lost (AWS Lambda
 * developer guide, "Types of metrics for Lambda functions", DestinationDeliveryFailures).
 */
function lostBatches(webhooks: WebhookDelivery, sweep: CandidatePartSweep): IMetric {
  const failures = { statistic: "Sum", period: PERIOD };
  return sum({
    label: "Lost batches of the stream",
    of: {
      lostEvents: webhooks.publishEvents.metric("DestinationDeliveryFailures", failures),
      lostNotices: sweep.sweepCandidateParts.metric("DestinationDeliveryFailures", failures),
    },
    period: PERIOD,
  });
}

/** The backlog between the table's stream and the receivers, and its age. */
function queueMetrics({
  deadLetters,
  deliveryQueue,
  sideQueue,
  publishEvents,
  recoverEvents,
  recoveryQueue,
  retryQueue,
  streamPolls,
  unreadableEvents,
}: WebhookDelivery) {
  return {
    streamPolls,
    // Lambda reports it at each attempt at a batch, and AWS does not document how long it waits between two of them.
    iteratorAge: publishEvents.metric("IteratorAge", { statistic: "Maximum", period: PERIOD }),
    queued: deliveryQueue.metricApproximateNumberOfMessagesVisible({ period: MINUTE }),
    queuedAside: sideQueue.metricApproximateNumberOfMessagesVisible({ period: MINUTE }),
    queuedRetries: retryQueue.metricApproximateNumberOfMessagesVisible({ period: MINUTE }),
    delayedAside: sideQueue.metricApproximateNumberOfMessagesDelayed({ period: MINUTE }),
    delayedRetries: retryQueue.metricApproximateNumberOfMessagesDelayed({ period: MINUTE }),
    queueAge: deliveryQueue.metricApproximateAgeOfOldestMessage({ period: PERIOD }),
    sideQueueAge: sideQueue.metricApproximateAgeOfOldestMessage({ period: PERIOD }),
    retryQueueAge: retryQueue.metricApproximateAgeOfOldestMessage({ period: PERIOD }),
    deadLetters: deadLetters.metricApproximateNumberOfMessagesVisible({ period: MINUTE }),
    unreadableEvents: unreadableEvents.metricApproximateNumberOfMessagesVisible({ period: MINUTE }),
    queuedRecoveries: recoveryQueue.metricApproximateNumberOfMessagesVisible({ period: MINUTE }),
    // Between two runs and while it is worked on, a recovery's message is not visible.
    runningRecoveries: recoveryQueue.metricApproximateNumberOfMessagesNotVisible({ period: MINUTE }),
    recoveryQueueAge: recoveryQueue.metricApproximateAgeOfOldestMessage({ period: PERIOD }),
    // A throttled message counts as received, and five such receives end its recovery.
    recoveryFaults: sum({
      label: "Failed and throttled recoveries",
      of: {
        recoveryErrors: recoverEvents.metricErrors({ period: PERIOD }),
        recoveryThrottles: recoverEvents.metricThrottles({ period: PERIOD }),
      },
      period: PERIOD,
    }),
  };
}

/** The outcomes and durations of deliveries. */
function deliveryMetrics(webhooks: WebhookDelivery) {
  const total = (name: DeliveryMetric) => recorded(webhooks, name, { statistic: "Sum", period: PERIOD });
  const percentiles = (name: DeliveryMetric): IMetric[] =>
    ["p50", "p99"].map((statistic) => recorded(webhooks, name, { statistic }));
  const inAMinute = { statistic: "Sum", period: MINUTE };
  const delivered = total("DeliveriesDelivered");
  const failedAttempts = total("AttemptsFailed");
  return {
    delivered,
    failedDeliveries: total("DeliveriesFailed"),
    droppedDeliveries: total("DeliveriesDropped"),
    failedAttempts,
    cutAttempts: total("AttemptsCut"),
    failedShare: failedShare(delivered, failedAttempts),
    deliveryFaults: total("DeliveryFaults"),
    firstAttemptDelay: percentiles("FirstAttemptDelay"),
    deliveryDelay: percentiles("DeliveryDelay"),
    attemptsPerDelivery: ["Average", "Maximum"].map((statistic) =>
      recorded(webhooks, "AttemptsPerDelivery", { statistic }),
    ),
    // A pending delivery is received for each attempt, the last of which are a day apart.
    pendingAge: recorded(webhooks, "PendingEventAge", { statistic: "Maximum", period: Duration.hours(1) }),
    inactiveEndpoints: total("EndpointsSetInactive"),
    // No data if release-deliveries fails or is not invoked.
    releaseDelay: recorded(webhooks, "ReleaseDelay", { statistic: "Maximum", period: PERIOD }),
    consumerErrors: sum({
      label: "Crashes and timeouts",
      of: {
        publishErrors: webhooks.publishEvents.metricErrors({ period: PERIOD }),
        deliverErrors: webhooks.deliverWebhook.metricErrors({ period: PERIOD }),
        asideErrors: webhooks.deliverAside.metricErrors({ period: PERIOD }),
        retryErrors: webhooks.retryWebhook.metricErrors({ period: PERIOD }),
      },
      period: PERIOD,
    }),
    stoppedRecursions: sum({
      label: "RecursiveInvocationsDropped",
      of: {
        deliverWebhook: webhooks.deliverWebhook.metric("RecursiveInvocationsDropped", inAMinute),
        deliverAside: webhooks.deliverAside.metric("RecursiveInvocationsDropped", inAMinute),
        retryWebhook: webhooks.retryWebhook.metric("RecursiveInvocationsDropped", inAMinute),
      },
      period: MINUTE,
    }),
  };
}

function failedShare(delivered: IMetric, failed: IMetric): IMetric {
  // Without a failed attempt in a period, only `failed` has no data point.
  const attempts = "delivered + FILL(failed, 0)";
  return new MathExpression({
    label: "Failed attempts, %",
    expression: `IF(${attempts} >= ${FEWEST_ATTEMPTS}, 100 * FILL(failed, 0) / (${attempts}), 0)`,
    usingMetrics: { delivered, failed },
    period: PERIOD,
  });
}
