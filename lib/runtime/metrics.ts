import { Metrics } from "@aws-lambda-powertools/metrics";

/**
 * Metrics written to the log in the CloudWatch embedded metric format. POWERTOOLS_METRICS_NAMESPACE sets the
 * namespace. The only dimension is the service's name.
 */
export const metrics = new Metrics();
