import type { Duration } from "aws-cdk-lib";
import { type IMetric, MathExpression } from "aws-cdk-lib/aws-cloudwatch";

interface FailureRateProps {
  readonly label: string;
  readonly failures: IMetric;
  readonly calls: IMetric;
  readonly period: Duration;
}

/** Failures in percent of calls; 0 where nothing was called. */
export function failureRate({ label, failures, calls, period }: FailureRateProps): IMetric {
  return new MathExpression({
    label,
    expression: "100 * failures / MAX([calls, 1])",
    usingMetrics: { failures, calls },
    period,
  });
}
