import type { Duration } from "aws-cdk-lib";
import { type IMetric, MathExpression } from "aws-cdk-lib/aws-cloudwatch";

interface Sum {
  readonly label: string;
  /** At most ten: an alarm refers to no more (CloudWatch alarms, limits). */
  readonly of: Readonly<Record<string, IMetric>>;
  readonly period: Duration;
}

/** The sum of metrics, of which some may have no data. */
export function sum({ label, of, period }: Sum): IMetric {
  return new MathExpression({ label, expression: filledSum(of), usingMetrics: of, period });
}

interface FailureRate {
  readonly label: string;
  readonly failures: Readonly<Record<string, IMetric>>;
  readonly calls: IMetric;
  readonly period: Duration;
}

/** Failures in percent of calls; 0 where nothing was called, no data where nobody says how much was. */
export function failureRate({ label, failures, calls, period }: FailureRate): IMetric {
  return new MathExpression({
    label,
    // MAX([calls, 1]) is refused: its arrays hold series only.
    expression: `IF(calls > 0, 100 * (${filledSum(failures)}) / calls, 0)`,
    usingMetrics: { ...failures, calls },
    period,
  });
}

/**
 * CloudWatch's manual says that arithmetic takes a missing point for 0; accounts are reported where the sum is
 * missing too. Filled, it is the same either way.
 */
function filledSum(metrics: Readonly<Record<string, IMetric>>): string {
  return Object.keys(metrics)
    .map((id) => `FILL(${id}, 0)`)
    .join(" + ");
}
