import { Aws, Stack } from "aws-cdk-lib";
import { Dashboard, GraphWidget, type IMetric } from "aws-cdk-lib/aws-cloudwatch";
import type { Construct } from "constructs";
import { ServiceFunction } from "./service-function.ts";
import type { ServiceMetrics } from "./service-metrics.ts";

interface ServiceDashboardProps {
  readonly dashboardName: string;
  readonly metrics: ServiceMetrics;
}

/** The metrics of an environment as graphs. */
export class ServiceDashboard extends Dashboard {
  constructor(scope: Construct, id: string, { dashboardName, metrics }: ServiceDashboardProps) {
    super(scope, id, {
      dashboardName,
      widgets: [
        ...apiGraphs(metrics),
        ...queueGraphs(metrics),
        ...deliveryGraphs(metrics),
        [
          graph("Oldest sweep, ms", [metrics.sweepAge]),
          graph("Failed rows of batches", [metrics.batchFaults]),
          graph("Recoveries", [metrics.queuedRecoveries, metrics.runningRecoveries, metrics.recoveryFaults]),
        ],
        [
          graph("Polls of the stream", [metrics.streamPolls, metrics.sweepPolls]),
          graph("Errors of consumers", [metrics.consumerErrors, metrics.stoppedRecursions]),
          graph("Late releases, ms", [metrics.releaseDelay]),
        ],
        [graph("Throttled invocations by function", throttlesOf(Stack.of(scope)), 24)],
      ],
    });
  }
}

function apiGraphs(metrics: ServiceMetrics): GraphWidget[][] {
  return [
    [
      graph("Requests", [metrics.requests, metrics.clientErrors]),
      graph("Errors, % of requests", [metrics.serverErrors, metrics.unauthorized, metrics.rateLimited]),
      graph("Latency, ms", [metrics.latency50, metrics.latency99]),
    ],
  ];
}

function queueGraphs(metrics: ServiceMetrics): GraphWidget[][] {
  return [
    [
      graph("Stream age, ms", [metrics.iteratorAge]),
      graph("Queues of deliveries", [
        metrics.queued,
        metrics.queuedAside,
        metrics.queuedRetries,
        metrics.delayedAside,
        metrics.delayedRetries,
      ]),
      graph("Oldest message, s", [
        metrics.queueAge,
        metrics.sideQueueAge,
        metrics.retryQueueAge,
        metrics.recoveryQueueAge,
      ]),
    ],
    [
      graph("Dead letters", [
        metrics.deadLetters,
        metrics.unreadableEvents,
        metrics.unsweptParts,
        metrics.lostBatches,
      ]),
      graph("Throttled invocations", [metrics.throttles]),
      graph("Throttled table requests", [metrics.tableThrottles]),
    ],
  ];
}

function deliveryGraphs(metrics: ServiceMetrics): GraphWidget[][] {
  return [
    [
      graph("Deliveries that ended", [
        metrics.delivered,
        metrics.failedDeliveries,
        metrics.droppedDeliveries,
      ]),
      graph("Attempts", [metrics.failedAttempts, metrics.cutAttempts, metrics.deliveryFaults]),
      graph("Failed attempts, %", [metrics.failedShare]),
    ],
    [
      graph("From event to first attempt, ms", metrics.firstAttemptDelay),
      graph("From event to success, ms", metrics.deliveryDelay),
      graph("Oldest pending event, ms", [metrics.pendingAge]),
    ],
    [
      graph("Attempts per delivery", metrics.attemptsPerDelivery),
      graph("Endpoints set inactive", [metrics.inactiveEndpoints]),
      graph("Table errors", [metrics.tableErrors]),
    ],
  ];
}

function throttlesOf(stack: Stack): IMetric[] {
  return stack.node
    .findAll()
    .filter((construct) => construct instanceof ServiceFunction)
    .map((each) => each.metricThrottles({ label: each.node.id }));
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
