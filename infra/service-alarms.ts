import { Duration } from "aws-cdk-lib";
import type { IMetric } from "aws-cdk-lib/aws-cloudwatch";
import type { ServiceMetrics } from "./service-metrics.ts";

/** When an alarm fires: if the metric is above a value, or below one. */
export type AlarmDefinition = AlarmOptions & ({ readonly above: number } | { readonly below: number });

interface AlarmOptions {
  readonly metric: IMetric;
  /** The number of consecutive periods to evaluate. */
  readonly periods: number;
  /**
   * In how many of them the alarm's condition must hold; all if absent. Fewer than all for a metric with `FILL`: an
   * alarm may otherwise be stuck in one state (Amazon CloudWatch user guide, "Using metric math", FILL).
   */
  readonly breaching?: number;
  /** Whether the alarm fires if there is no data, because each period should have some. */
  readonly needsData?: boolean;
  /**
   * How long the alarm does not fire after its creation, because data may still be missing; at most 48 hours. An update
   * may begin this time anew (Amazon CloudWatch API, WarmUpConfiguration: "after you create or update the alarm").
   */
  readonly warmUp?: Duration;
  /** Whether a period of a day is a day of the calendar (UTC), not any 24 hours. */
  readonly calendarDays?: boolean;
  /** The meaning and the remedy, in one sentence. */
  readonly description: string;
  /** The runbook's section, if it is not named after the alarm. */
  readonly section?: string;
}

/** Until a new environment's functions and mappings are at work. */
const FIRST_HOUR = Duration.hours(1);

/** The alarms of every environment. */
export function serviceAlarms(metrics: ServiceMetrics) {
  return {
    ...apiAlarms(metrics),
    ...streamAlarms(metrics),
    ...queueAlarms(metrics),
    ...recoveryAlarms(metrics),
    ...deliveryAlarms(metrics),
    ...tableAlarms(metrics),
  } satisfies Readonly<Record<string, AlarmDefinition>>;
}

function apiAlarms({
  serverErrors,
  unauthorized,
  rateLimited,
  batchFaults,
  latencyOfMany,
  throttles,
}: ServiceMetrics) {
  return {
    ServerErrors: {
      metric: serverErrors,
      above: 1,
      periods: 3,
      breaching: 2,
      description: "More than 1 % of requests fail: find the cause in the functions' logs by request id.",
    },
    Unauthorized: {
      metric: unauthorized,
      // If no key is accepted, all requests but those for the documentation are refused; otherwise those of a few
      // callers.
      above: 50,
      periods: 3,
      breaching: 2,
      description:
        "Most requests get 401: check whether one caller's key is refused or all are. Roll back if it began with a deployment.",
    },
    RateLimited: {
      metric: rateLimited,
      above: 1,
      periods: 3,
      breaching: 2,
      description:
        "Requests are refused because a method gets more than its limit: find who sends them, or raise the limit.",
    },
    BatchFaults: {
      metric: batchFaults,
      above: 100,
      periods: 3,
      breaching: 2,
      description:
        "Rows of candidate batches fail although the responses are 200: find the cause in the log of create-candidate-batch.",
    },
    Latency: {
      metric: latencyOfMany,
      above: 2_000,
      periods: 3,
      description: "One request in a hundred takes over 2 s: check the table's latency and cold starts.",
    },
    Throttles: {
      metric: throttles,
      above: 0,
      periods: 3,
      breaching: 2,
      description:
        "Functions are throttled: raise the account's concurrency quota, or find the function that exhausts it.",
    },
  };
}

function streamAlarms(metrics: ServiceMetrics) {
  return {
    StreamAge: {
      metric: metrics.iteratorAge,
      above: Duration.minutes(1).toMilliseconds(),
      periods: 3,
      breaching: 2,
      description: "Events are waiting in the stream: check the log of publish-events for errors.",
    },
    StreamStopped: {
      metric: metrics.streamPolls,
      below: 1,
      periods: 3,
      needsData: true,
      warmUp: FIRST_HOUR,
      description: "Lambda does not read the table's stream: check the mapping within 24 hours.",
    },
    LostBatches: {
      metric: metrics.lostBatches,
      above: 0,
      periods: 3,
      breaching: 1,
      description:
        "A batch of the stream kept failing, and its queue refused it: correct the queue, then recover the batch's events.",
    },
  };
}

/** Alarms for the delivery queues and the dead-letter queues. */
function queueAlarms(metrics: ServiceMetrics) {
  return {
    QueueAge: {
      metric: metrics.queueAge,
      above: Duration.minutes(5).toSeconds(),
      periods: 3,
      description:
        "Deliveries to healthy endpoints are waiting: there are too many, or deliver-webhook is throttled, not invoked or has faults.",
    },
    SideQueueAge: {
      metric: metrics.sideQueueAge,
      above: Duration.minutes(5).toSeconds(),
      periods: 3,
      description:
        "Samples, resends, first retries and events of endpoints that fail or may be slow are waiting: find the organisation that has the most.",
    },
    RetryQueueAge: {
      metric: metrics.retryQueueAge,
      // A message with the longest delay is 15 minutes old before it can be received.
      above: Duration.minutes(30).toSeconds(),
      periods: 3,
      description: "Retries are delayed: find hanging endpoints, or raise retryConcurrency.",
    },
    DeadLetters: {
      metric: metrics.deadLetters,
      above: 0,
      periods: 1,
      description:
        "Deliveries exhausted their retries: list them, help the receiver's operators, then redrive.",
    },
    UnreadableEvents: {
      metric: metrics.unreadableEvents,
      above: 0,
      periods: 1,
      description: "Events could not be published: fix the cause within 11 hours, then redrive.",
    },
  };
}

function recoveryAlarms({ recoveryQueueAge, recoveryFaults }: ServiceMetrics) {
  return {
    RecoveryQueueAge: {
      metric: recoveryQueueAge,
      // A recovery at work is received every six minutes, and SQS leaves a message that was received three times out of
      // the age. One that waits for an hour is shown as failed.
      above: Duration.minutes(30).toSeconds(),
      periods: 3,
      description: "Recoveries wait without being started: look at the event source of recover-events.",
    },
    RecoveryFaults: {
      metric: recoveryFaults,
      above: 0,
      // A recovery that fails is received again every six minutes, and ends after half an hour.
      periods: 3,
      breaching: 2,
      description:
        "Recoveries fail: find the cause in the log of recover-events, fix it, then start them again.",
    },
  };
}

function deliveryAlarms({
  releaseDelay,
  failedShare,
  deliveryFaults,
  consumerErrors,
  stoppedRecursions,
}: ServiceMetrics) {
  return {
    // A function that crashes records no fault itself, and SQS leaves a message that was received three times out of
    // the age of its queue ("Available CloudWatch metrics for Amazon SQS").
    ConsumerErrors: {
      metric: consumerErrors,
      above: 0,
      // A message returns after nine minutes: in 20 minutes one that always fails has failed twice.
      periods: 4,
      breaching: 2,
      description:
        "publish-events or a function that delivers crashes, runs out of memory or times out: roll back, or raise its memory.",
    },
    DeliverySuccess: {
      metric: failedShare,
      above: 50,
      periods: 4,
      breaching: 3,
      description: "Most deliveries are not acknowledged: check whether one receiver fails or all do.",
    },
    DeliveryFaults: {
      metric: deliveryFaults,
      above: 10,
      // In half an hour, messages that return after nine minutes have failed three times.
      periods: 6,
      breaching: 3,
      description:
        "Deliveries are retried because of the service's own faults: fix the cause before they are dead-lettered.",
    },
    ReleaseDelay: {
      metric: releaseDelay,
      above: Duration.minutes(5).toMilliseconds(),
      periods: 3,
      needsData: true,
      warmUp: FIRST_HOUR,
      description:
        "Retries that wait in the table are released late or not at all: check the log of release-deliveries and its schedule.",
    },
    RecursionStopped: {
      metric: stoppedRecursions,
      above: 0,
      periods: 5,
      breaching: 1,
      description:
        "Lambda treats deliveries as a recursive loop and drops them: see which function, then redrive.",
    },
  };
}

function tableAlarms({ tableThrottles, tableErrors, sweepAge, sweepPolls, unsweptParts }: ServiceMetrics) {
  return {
    TableThrottles: {
      metric: tableThrottles,
      above: 0,
      periods: 3,
      breaching: 2,
      description:
        "Requests to the table are throttled: look for a hot organisation, or raise the table's quota.",
    },
    TableErrors: {
      metric: tableErrors,
      above: 0,
      periods: 3,
      breaching: 2,
      description:
        "Requests to DynamoDB fail: check the AWS Health Dashboard. Callers receive 503 and retry.",
    },
    SweepStopped: {
      metric: sweepPolls,
      below: 1,
      periods: 3,
      needsData: true,
      warmUp: FIRST_HOUR,
      description: "Lambda does not read expired notices from the table's stream: check the mapping.",
      section: "streamstopped",
    },
    SweepAge: {
      metric: sweepAge,
      above: Duration.hours(1).toMilliseconds(),
      periods: 1,
      description: "Leftover parts of large candidates are not removed: fix the cause within 11 hours.",
    },
    UnsweptParts: {
      metric: unsweptParts,
      above: 0,
      periods: 1,
      description: "Sweeps failed for half a day: fix the cause within 11 hours, then redrive.",
    },
  };
}
