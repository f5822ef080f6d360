import { Duration } from "aws-cdk-lib";
import { Metric } from "aws-cdk-lib/aws-cloudwatch";
import { unreservedConcurrency } from "./concurrency.ts";
import type { Concurrency } from "./environment-settings.ts";
import type { AlarmDefinition } from "./service-alarms.ts";

/** The share of the unreserved executions that is left when the alarm fires: a higher quota takes days to get. */
const LEFT = 0.2;

/**
 * Fires before the functions without a reservation are throttled. ClaimedAccountConcurrency is what they use and all
 * that is reserved, by any application of the account in the region, and has no dimensions (AWS Lambda developer guide,
 * "Monitoring concurrency").
 */
export function claimedConcurrency(concurrency: Concurrency): AlarmDefinition {
  return {
    metric: new Metric({
      namespace: "AWS/Lambda",
      metricName: "ClaimedAccountConcurrency",
      statistic: "Maximum",
      period: Duration.minutes(1),
    }),
    above: Math.floor(concurrency.account - LEFT * unreservedConcurrency(concurrency)),
    periods: 5,
    description:
      "The account's unreserved concurrent executions are nearly used up: raise the quota before reads are refused.",
  };
}
