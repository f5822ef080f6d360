import { Stack } from "aws-cdk-lib";
import { Metric, type MetricOptions } from "aws-cdk-lib/aws-cloudwatch";
import type { Construct } from "constructs";
import type { BATCH_FAULTS } from "#candidates/store/receive-batch";
import type { DeliveryMetric } from "#webhooks/delivery/delivery-metrics";
import { type Grant, variables } from "./grant.ts";
import { SERVICE_NAME } from "./service-function.ts";

/** Lets a function record metrics of its own, in the stack's namespace. */
export function recording(scope: Construct): Grant {
  return variables({ POWERTOOLS_METRICS_NAMESPACE: Stack.of(scope).stackName });
}

/** A metric that functions record themselves, in five-minute periods unless the options differ. */
export function recorded(
  scope: Construct,
  metricName: DeliveryMetric | typeof BATCH_FAULTS,
  options: MetricOptions,
): Metric {
  return new Metric({
    namespace: Stack.of(scope).stackName,
    metricName,
    dimensionsMap: { service: SERVICE_NAME },
    ...options,
  });
}
