import type { Duration } from "aws-cdk-lib";
import { type IMetric, MathExpression } from "aws-cdk-lib/aws-cloudwatch";

interface Sum {
  readonly label: string;
  /** At most ten: an alarm can use no more (CloudWatch alarms, limits). */
  readonly of: Readonly<Record<string, IMetric>>;
  /**
   * Metrics that have data unless the others have some. They add nothing, but give the sum a value where no other has
   * one.
   */
  readonly always?: Readonly<Record<string, IMetric>>;
  readonly period: Duration;
}

/** The sum of metrics, some of which may have no data. */
export function sum({ label, of, always = {}, period }: Sum): IMetric {
  const expression = [filledSum(of), ...Object.keys(always).map((id) => `0 * FILL(${id}, 0)`)].join(" + ");
  return new MathExpression({ label, expression, usingMetrics: { ...of, ...always }, period });
}

interface FailureRate {
  readonly label: string;
  readonly failures: Readonly<Record<string, IMetric>>;
  readonly calls: IMetric;
  /** The rate is 0 with fewer calls in a period: they say too little. */
  readonly fewestCalls?: number;
  readonly period: Duration;
}

/** Failures in percent of calls: 0 if there are no calls, no data if the number of calls is unknown. */
export function failureRate({ label, failures, calls, fewestCalls = 1, period }: FailureRate): IMetric {
  return new MathExpression({
    label,
    // CloudWatch refuses MAX([calls, 1]): its arrays may contain only series.
    expression: `IF(calls >= ${fewestCalls}, 100 * (${filledSum(failures)}) / calls, 0)`,
    usingMetrics: { ...failures, calls },
    period,
  });
}

/**
 * CloudWatch's manual states that arithmetic treats a missing data point as 0, but there are reports that the sum is
 * missing too. FILL gives the same result in both cases.
 */
function filledSum(metrics: Readonly<Record<string, IMetric>>): string {
  return Object.keys(metrics)
    .map((id) => `FILL(${id}, 0)`)
    .join(" + ");
}
