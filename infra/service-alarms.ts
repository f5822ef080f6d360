import { Duration } from "aws-cdk-lib";
import type { IMetric } from "aws-cdk-lib/aws-cloudwatch";
import type { ServiceMetrics } from "./service-metrics.ts";

/** When an alarm fires. */
export interface AlarmDefinition {
  readonly metric: IMetric;
  /** The metric must be above this. */
  readonly above: number;
  /** For how many periods in a row. */
  readonly periods: number;
  /** How many of the periods are enough; all when absent. */
  readonly breaching?: number;
  /** What it means, and what to do, in a sentence. */
  readonly description: string;
  /** The runbook's section, where it is not the alarm's own name. */
  readonly section?: string;
}

/** The alarms of every environment. */
export function serviceAlarms(metrics: ServiceMetrics) {
  return {
    ...apiAlarms(metrics),
    ...queueAlarms(metrics),
    ...deliveryAlarms(metrics),
    ...tableAlarms(metrics),
  } satisfies Readonly<Record<string, AlarmDefinition>>;
}

function apiAlarms({ serverErrors, latency99, throttles }: ServiceMetrics) {
  return {
    ServerErrors: {
      metric: serverErrors,
      above: 1,
      periods: 2,
      description: "More than 1 % of requests fail: find the cause in the functions' logs by request id.",
    },
    Latency: {
      metric: latency99,
      above: 2_000,
      periods: 3,
      description: "One request in a hundred takes over 2 s: compare the table's latency and cold starts.",
    },
    Throttles: {
      metric: throttles,
      above: 0,
      periods: 2,
      description:
        "Functions are throttled: raise the account's concurrency quota, or find the function that uses it up.",
    },
  };
}

/** Of what waits: in the stream, in the queues of deliveries and in those of failures. */
function queueAlarms(metrics: ServiceMetrics) {
  return {
    StreamAge: {
      metric: metrics.iteratorAge,
      above: Duration.minutes(1).toMilliseconds(),
      periods: 5,
      description: "Events wait in the stream: read publish-events' log for what it cannot do.",
    },
    QueueAge: {
      metric: metrics.queueAge,
      above: Duration.minutes(5).toSeconds(),
      periods: 3,
      description: "Deliveries wait in the queue: look for throttles of deliver-webhook and slow receivers.",
    },
    RetryQueueAge: {
      metric: metrics.retryQueueAge,
      // A message that waits its delay out is up to 15 minutes old when it may be taken.
      above: Duration.minutes(30).toSeconds(),
      periods: 3,
      description: "Retries wait for their turn: find the endpoints that hang, or raise retryConcurrency.",
    },
    DeadLetters: {
      metric: metrics.deadLetters,
      above: 0,
      periods: 1,
      description: "Deliveries exhausted their retries: list them, help the receiver, then redrive.",
    },
    UnreadableEvents: {
      metric: metrics.unreadableEvents,
      above: 0,
      periods: 1,
      description: "Events could not be published: fix the cause within 24 hours, then redrive.",
    },
  };
}

function deliveryAlarms({ failedShare, deliveryFaults, stoppedRecursions }: ServiceMetrics) {
  return {
    DeliverySuccess: {
      metric: failedShare,
      above: 50,
      periods: 3,
      description: "Most deliveries are not acknowledged: see whether one receiver fails or all do.",
    },
    DeliveryFaults: {
      metric: deliveryFaults,
      above: 10,
      periods: 3,
      description:
        "Deliveries are repeated because of the service's own faults: fix the cause before they are dead letters.",
    },
    RecursionStopped: {
      metric: stoppedRecursions,
      above: 0,
      periods: 1,
      description: "Lambda stops retries as a recursive loop: allow it again, then redrive.",
    },
  };
}

function tableAlarms({ tableThrottles, tableErrors, sweepAge, unsweptParts }: ServiceMetrics) {
  return {
    TableThrottles: {
      metric: tableThrottles,
      above: 0,
      periods: 2,
      description: "The table throttles: look for a hot organisation, or raise the table's quota.",
    },
    TableErrors: {
      metric: tableErrors,
      above: 0,
      periods: 2,
      description: "DynamoDB fails: see AWS's health dashboard; callers get 503 and repeat their requests.",
    },
    SweepAge: {
      metric: sweepAge,
      above: Duration.hours(1).toMilliseconds(),
      periods: 1,
      description: "Leftover parts of large candidates are not removed: fix the cause within 24 hours.",
    },
    UnsweptParts: {
      metric: unsweptParts,
      above: 0,
      periods: 1,
      description: "Sweeps failed for half a day: fix the cause within 12 hours, then redrive.",
    },
  };
}
