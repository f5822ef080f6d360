import { Aws, Duration, Stack } from "aws-cdk-lib";
import {
  Alarm,
  ComparisonOperator,
  Dashboard,
  GraphWidget,
  type IMetric,
  MathExpression,
  TreatMissingData,
} from "aws-cdk-lib/aws-cloudwatch";
import { SnsAction } from "aws-cdk-lib/aws-cloudwatch-actions";
import { Construct } from "constructs";
import type { DeliveryMetric } from "#webhooks/delivery/delivery-metrics";
import { AlarmTopic } from "./alarm-topic.ts";
import type { CandidateTable } from "./candidate-table.ts";
import type { CandidatesApi } from "./candidates-api.ts";
import type { EnvironmentSettings } from "./environments.ts";
import { sum } from "./metric-math.ts";
import type { PartSweep } from "./part-sweep.ts";
import { ServiceFunction } from "./service-function.ts";
import type { WebhookDelivery } from "./webhook-delivery.ts";

interface ObservabilityProps {
  readonly settings: EnvironmentSettings;
  readonly api: CandidatesApi;
  readonly table: CandidateTable;
  readonly sweep: PartSweep;
  readonly webhooks: WebhookDelivery;
}

interface AlarmDefinition {
  readonly metric: IMetric;
  /** Told when the metric is above this. */
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

const PERIOD = Duration.minutes(5);
const MINUTE = Duration.minutes(1);
/** How many attempts of a period say something of deliveries as a whole. */
const FEWEST_ATTEMPTS = 50;

/** Tells the platform team when the service is ill, and shows how it is. */
export class Observability extends Construct {
  readonly #topic: AlarmTopic;
  /** Rings when the API fails. */
  readonly serverErrors: Alarm;

  constructor(scope: Construct, id: string, { settings, api, table, sweep, webhooks }: ObservabilityProps) {
    super(scope, id);
    this.#topic = new AlarmTopic(this, "Alarms", { settings });

    const serverErrors = api.metrics.failureRate();
    const latency = api.metrics.latency99();
    const iteratorAge = webhooks.publishEvents.metric("IteratorAge", {
      statistic: "Maximum",
      period: MINUTE,
    });
    const queueAge = webhooks.deliveryQueue.metricApproximateAgeOfOldestMessage({ period: PERIOD });
    const retryQueueAge = webhooks.retryQueue.metricApproximateAgeOfOldestMessage({ period: PERIOD });
    const deadLetters = webhooks.deadLetters.metricApproximateNumberOfMessagesVisible({ period: MINUTE });
    const unreadable = webhooks.unreadableEvents.metricApproximateNumberOfMessagesVisible({ period: MINUTE });
    const sweepAge = sweep.age(PERIOD);
    const throttles = sum({
      label: "Throttled invocations",
      of: {
        authorizer: api.authorizeRequest.metricThrottles({ period: PERIOD }),
        create: api.operations.createCandidate.metricThrottles({ period: PERIOD }),
        publish: webhooks.publishEvents.metricThrottles({ period: PERIOD }),
        deliver: webhooks.deliverWebhook.metricThrottles({ period: PERIOD }),
      },
      period: PERIOD,
    });
    const delivered = webhooks.metric("DeliveriesDelivered", { statistic: "Sum", period: PERIOD });
    const failedAttempts = webhooks.metric("AttemptsFailed", { statistic: "Sum", period: PERIOD });
    const failingShare = new MathExpression({
      label: "Failed attempts, %",
      // A few attempts say nothing: one receiver that is down would be told as an outage.
      expression: `IF(delivered + failed >= ${FEWEST_ATTEMPTS}, 100 * failed / (delivered + failed), 0)`,
      usingMetrics: { delivered, failed: failedAttempts },
      period: PERIOD,
    });
    const deliveryFaults = webhooks.metric("DeliveryFaults", { statistic: "Sum", period: PERIOD });
    const tableThrottles = table.throttledRequests(PERIOD);
    const tableErrors = table.systemErrors(PERIOD);

    this.serverErrors = this.alarm("ServerErrors", {
      metric: serverErrors,
      above: 1,
      periods: 2,
      description: "More than 1 % of requests fail: find the cause in the functions' logs by request id.",
    });
    this.alarm("Latency", {
      metric: latency,
      above: 2_000,
      periods: 3,
      description: "One request in a hundred takes over 2 s: compare the table's latency and cold starts.",
    });
    this.alarm("Throttles", {
      metric: throttles,
      above: 0,
      periods: 2,
      description: "Functions are throttled: raise the account's concurrency quota, or find who uses it up.",
    });
    this.alarm("StreamAge", {
      metric: iteratorAge,
      above: Duration.minutes(1).toMilliseconds(),
      periods: 5,
      description: "Events wait in the stream: read publish-events' log for what it cannot do.",
    });
    this.alarm("QueueAge", {
      metric: queueAge,
      above: Duration.minutes(5).toSeconds(),
      periods: 3,
      description: "Deliveries wait in the queue: look for throttles of deliver-webhook and slow receivers.",
    });
    this.alarm("RetryQueueAge", {
      metric: retryQueueAge,
      // A message that waits its delay out is up to 15 minutes old when it may be taken.
      above: Duration.minutes(30).toSeconds(),
      periods: 3,
      description: "Retries wait for their turn: find the endpoints that hang, or raise retryConcurrency.",
    });
    this.alarm("DeliverySuccess", {
      metric: failingShare,
      above: 50,
      periods: 3,
      description: "Most deliveries are not acknowledged: see whether one receiver fails or all do.",
    });
    this.alarm("DeliveryFaults", {
      metric: deliveryFaults,
      above: 10,
      periods: 3,
      description:
        "Deliveries are repeated because of the service's own faults: fix the cause before they are dead letters.",
    });
    this.alarm("DeadLetters", {
      metric: deadLetters,
      above: 0,
      periods: 1,
      description: "Deliveries exhausted their retries: list them, help the receiver, then redrive.",
    });
    this.alarm("UnreadableEvents", {
      metric: unreadable,
      above: 0,
      periods: 1,
      description: "Events could not be published: fix the cause within 24 hours, then redrive.",
    });
    this.alarm("RecursionStopped", {
      metric: webhooks.deliverWebhook.metric("RecursiveInvocationsDropped", {
        statistic: "Sum",
        period: MINUTE,
      }),
      above: 0,
      periods: 1,
      description: "Lambda stops retries as a recursive loop: allow it again, then redrive.",
    });
    this.alarm("SweepAge", {
      metric: sweepAge,
      above: Duration.hours(1).toMilliseconds(),
      periods: 1,
      description: "Leftover parts of large candidates are not removed: fix the cause within 24 hours.",
    });
    this.alarm("TableThrottles", {
      metric: tableThrottles,
      above: 0,
      periods: 2,
      description: "The table throttles: look for a hot organisation, or raise the table's quota.",
    });
    this.alarm("TableErrors", {
      metric: tableErrors,
      above: 0,
      periods: 2,
      description: "DynamoDB fails: see AWS's health dashboard; callers get 503 and repeat their requests.",
    });

    this.alarm("UnsweptParts", {
      metric: sweep.unsweptParts.metricApproximateNumberOfMessagesVisible({ period: MINUTE }),
      above: 0,
      periods: 1,
      description: "Sweeps failed for half a day: fix the cause within 12 hours, then redrive.",
    });

    new Dashboard(this, "Dashboard", {
      dashboardName: `CandidateService-${settings.name}`,
      widgets: [
        [
          graph("Requests", [api.metrics.requests(), api.metrics.clientErrors()]),
          graph("Server errors, %", [serverErrors]),
          graph("Latency, ms", [api.metrics.latency50(), latency]),
        ],
        [
          graph("Stream age, ms", [iteratorAge]),
          graph("Delivery and retry queue", [
            webhooks.deliveryQueue.metricApproximateNumberOfMessagesVisible({ period: MINUTE }),
            webhooks.retryQueue.metricApproximateNumberOfMessagesVisible({ period: MINUTE }),
            webhooks.retryQueue.metricApproximateNumberOfMessagesDelayed({ period: MINUTE }),
          ]),
          graph("Oldest delivery, s", [queueAge, retryQueueAge]),
        ],
        [
          graph("Dead letters", [deadLetters, unreadable]),
          graph("Throttled invocations", [throttles]),
          graph("Throttled table requests", [tableThrottles]),
        ],
        [
          graph("Deliveries that ended", [
            delivered,
            webhooks.metric("DeliveriesFailed", { statistic: "Sum" }),
            webhooks.metric("DeliveriesDropped", { statistic: "Sum" }),
          ]),
          graph("Attempts", [failedAttempts, deliveryFaults]),
          graph("Failed attempts, %", [failingShare]),
        ],
        [
          graph("From event to first attempt, ms", percentiles("FirstAttemptDelay")),
          graph("From event to success, ms", percentiles("DeliveryDelay")),
          graph("Oldest pending event, ms", [
            // Every pending delivery comes by at least this often.
            webhooks.metric("PendingEventAge", { statistic: "Maximum", period: Duration.minutes(15) }),
          ]),
        ],
        [
          graph("Attempts per delivery", [
            webhooks.metric("AttemptsPerDelivery", { statistic: "Average" }),
            webhooks.metric("AttemptsPerDelivery", { statistic: "Maximum" }),
          ]),
          graph("Endpoints set inactive", [webhooks.metric("EndpointsSetInactive", { statistic: "Sum" })]),
          graph("Table errors", [tableErrors]),
        ],
        [graph("Oldest sweep, ms", [sweepAge])],
        [graph("Throttled invocations by function", throttlesOf(Stack.of(this)), 24)],
      ],
    });

    function percentiles(name: DeliveryMetric): IMetric[] {
      return ["p50", "p99"].map((statistic) => webhooks.metric(name, { statistic }));
    }
  }

  /** Makes an alarm that is told to the topic, when it begins and when it ends. */
  alarm(id: string, { metric, above, periods, breaching, description, section }: AlarmDefinition): Alarm {
    const alarm = new Alarm(this, id, {
      metric,
      threshold: above,
      evaluationPeriods: periods,
      ...(breaching && { datapointsToAlarm: breaching }),
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
      alarmDescription: `${description} Runbook: docs/operations.md#${section ?? id.toLowerCase()}`,
    });
    alarm.addAlarmAction(new SnsAction(this.#topic));
    alarm.addOkAction(new SnsAction(this.#topic));
    return alarm;
  }
}

function throttlesOf(stack: Stack): IMetric[] {
  return stack.node
    .findAll()
    .filter((construct) => construct instanceof ServiceFunction)
    .map((each) => each.metricThrottles({ period: PERIOD, label: each.node.id }));
}

function graph(title: string, metrics: IMetric[], width = 8): GraphWidget {
  return new GraphWidget({
    title,
    left: metrics,
    width,
    height: 6,
    leftYAxis: { min: 0 },
    region: Aws.REGION,
  });
}
