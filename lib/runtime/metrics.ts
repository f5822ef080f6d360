import { Metrics } from "@aws-lambda-powertools/metrics";

/**
 * Metrics by way of the log, in the CloudWatch embedded metric format. The namespace is what
 * POWERTOOLS_METRICS_NAMESPACE says; the one dimension is the service's name.
 */
export const metrics = new Metrics();
